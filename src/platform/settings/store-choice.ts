import type { Environment } from "./environment.ts";

/** Which store to open. A PostgreSQL address may hold a password, so it must never be shown. */
export type StoreChoice =
  | { readonly kind: "sqlite" }
  | { readonly kind: "memory" }
  | {
      readonly kind: "postgres";
      readonly url: string;
      /** The settings file that holds its password and that others may read. */
      readonly exposedIn?: string;
    };

/** Why a setting names no store: how the sentence about it goes on, and what to do. */
export interface StoreProblem {
  readonly problem: string;
  readonly next: string;
}

const FORMS = "Leave it out for the local store, or give an address such as postgres://host/database.";
const ADDRESS_FORM = "Write it as postgres://user:password@host:port/database.";

/** They have a place of their own in the address. As a parameter, the server would get them as one of its settings. */
const HAVE_A_PLACE: ReadonlySet<string> = new Set(["user", "password", "host", "port", "dbname", "database"]);
const SESSION_KINDS = ["read-write", "read-only", "primary", "standby", "prefer-standby"];
const LARGEST_PORT = 65_535;

export function parseStoreChoice(text: string): StoreChoice | StoreProblem {
  if (text === "" || text === "sqlite") return { kind: "sqlite" };
  if (text === "memory:") return { kind: "memory" };
  if (!/^postgres(ql)?:\/\//.test(text)) return { problem: "is not the address of a store", next: FORMS };
  return problemWithAddress(text) ?? { kind: "postgres", url: text };
}

/** Everything that the driver would stumble over before it asks a server. */
function problemWithAddress(text: string): StoreProblem | null {
  if (!isDecodable(text))
    return { problem: "contains a % that begins no escape", next: "Write %25 for a % in the user or the password." };
  const [, before = "", hosts = "", after = ""] = ADDRESS.exec(text) ?? [];
  const badHost = hosts.split(",").map(problemWithHost).find(Boolean);
  if (badHost) return badHost;
  // The driver takes several hosts; the parser of addresses takes one.
  const url = parsed(`${before}${hosts.split(",")[0]}${after}`);
  if (url === null) return { problem: "is not a valid address", next: ADDRESS_FORM };
  return problemWithParameters(url.searchParams);
}

/** Scheme and user, then the hosts, then the database and the parameters. */
const ADDRESS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
const HOST = /^(?:\[[^\]]*\]|[^:[\]]*)(?::([^:]*))?$/;

/** The driver takes what the address leaves out from these variables. */
export function problemWithVariables(env: Environment): (StoreProblem & { readonly variable: string }) | null {
  const { PGPORT: port, PGTARGETSESSIONATTRS: kind } = env;
  if (port && !isPort(port)) return { variable: "PGPORT", problem: "is not a number from 1 to 65535", next: UNSET };
  if (kind && !SESSION_KINDS.includes(kind))
    return { variable: "PGTARGETSESSIONATTRS", problem: `is not one of ${SESSION_KINDS.join(", ")}`, next: UNSET };
  return null;
}

const UNSET = "Correct it, or unset it.";

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= LARGEST_PORT;
}

function problemWithHost(host: string): StoreProblem | null {
  const found = HOST.exec(host);
  if (!found || (host.startsWith("[") && parsed(`http://${host.replace(/:[^:\]]*$/, "")}/`) === null))
    return {
      problem: "has a host that is not valid",
      next: "Write an IPv6 address in brackets, such as [::1]:5432.",
    };
  const port = found[1];
  if (port === undefined || port === "" || isPort(port)) return null;
  return { problem: "has a port that is not a number from 1 to 65535", next: ADDRESS_FORM };
}

function problemWithParameters(parameters: URLSearchParams): StoreProblem | null {
  const misplaced = [...parameters.keys()].find((name) => HAVE_A_PLACE.has(name));
  if (misplaced !== undefined)
    return { problem: `gives the ${misplaced} as a parameter after the ?`, next: ADDRESS_FORM };
  if (parameters.has("search_path"))
    return { problem: "sets search_path, which the store needs for its own schema", next: "Leave the parameter out." };
  const kind = parameters.get("target_session_attrs");
  if (kind !== null && !SESSION_KINDS.includes(kind))
    return { problem: "has an unknown target_session_attrs", next: `Give one of ${SESSION_KINDS.join(", ")}.` };
  return null;
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    // It contains a % that begins no escape.
    return false;
  }
}

function parsed(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    // It is no address.
    return null;
  }
}
