/** What an address such as postgres://user:password@host/database?sslmode=verify-full says about trust. */

/** `require` encrypts and does not check the server; `verify-full` also proves that it is the host of the address. */
export const SSL_MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"] as const;

export type SslMode = (typeof SSL_MODES)[number];

export interface PostgresAddress {
  /** The address without what it says about TLS and the kind of server. */
  readonly url: string;
  readonly hosts: readonly string[];
  /** What it says; null for a word that is no mode. */
  readonly mode: SslMode | null;
  /** `target_session_attrs`: which of several servers is wanted. */
  readonly kind: string | null;
  /** The file of the authority that vouches for the server; null for those that the system trusts. */
  readonly rootCertificate: string | null;
}

/** Never throws: an address that is none is found out where it is used. */
export function parsePostgresAddress(address: string): PostgresAddress {
  const [base = "", ...rest] = address.split("?");
  const parameters = new URLSearchParams(rest.join("?"));
  const said = parameters.get("sslmode") ?? parameters.get("ssl");
  const root = parameters.get("sslrootcert");
  const kind = parameters.get("target_session_attrs");
  for (const name of ["sslmode", "ssl", "sslrootcert", "target_session_attrs"]) parameters.delete(name);
  const more = parameters.size === 0 ? "" : `?${parameters.toString()}`;
  const rootCertificate = root === null || root === "system" ? null : root;
  const mode = modeOf(said ?? (root === null ? "disable" : "verify-full"));
  return { url: `${base}${more}`, hosts: hostsIn(base), mode, kind, rootCertificate };
}

/** One address for each host that it names. */
export function addressesOf(address: string): readonly string[] {
  const [, scheme = "", place = "", rest = ""] = /^([a-z]+:\/\/)([^/?#]*)(.*)$/is.exec(address) ?? [];
  // A user or a password may hold a comma; the hosts stand behind the last @.
  const start = place.lastIndexOf("@") + 1;
  const hosts = place.slice(start).split(",");
  return hosts.map((host) => `${scheme}${place.slice(0, start)}${host}${rest}`);
}

function modeOf(said: string): SslMode | null {
  const word = { true: "verify-full", false: "disable" }[said] ?? said;
  return SSL_MODES.find((mode) => mode === word) ?? null;
}

function hostsIn(base: string): readonly string[] {
  const place = base.replace(/^[a-z]+:\/\//i, "").split("/")[0] ?? "";
  const hosts = place.slice(place.lastIndexOf("@") + 1).split(",");
  return hosts.map((host) =>
    decoded(host.startsWith("[") ? host.slice(1).replace(/\].*$/, "") : host.replace(/:.*$/, "")),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // No escape, so it is the name itself.
    return text;
  }
}

/** Whether what goes to and fro can be read on the way: the server is elsewhere, and encryption is not demanded. */
export function isExposed({ hosts, mode }: PostgresAddress): boolean {
  const demands = mode === "require" || mode === "verify-ca" || mode === "verify-full";
  return !demands && hosts.some((host) => !isHere(host));
}

function isHere(host: string): boolean {
  return (
    host === "" ||
    host.startsWith("/") ||
    host.toLowerCase() === "localhost" ||
    host === "::1" ||
    host.startsWith("127.")
  );
}

export function hasPassword(address: string): boolean {
  return /^[a-z]+:\/\/[^/?#]*:[^/?#]*@/.test(address) || /[?&]password=/.test(address);
}
