/**
 * What the driver is told about the server. By itself it knows no file of an authority, and takes a server that is named
 * by its number for "localhost". So the address is read here.
 */
import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { type PostgresAddress, parsePostgresAddress, SSL_MODES } from "../../core/postgres-address.ts";
import { storeFault } from "./faults.ts";

export interface DriverAddress {
  readonly url: string;
  readonly ssl?: "require" | "prefer" | TlsOptions;
  readonly host?: string;
  readonly port?: number;
}

interface TlsOptions {
  readonly ca?: string;
  readonly rejectUnauthorized: true;
  readonly checkServerIdentity: (name: string, certificate: PeerCertificate) => Error | undefined;
}

/** What is known about the server before it is asked. */
export interface Server {
  /** It may name several hosts; the driver is given one of them. */
  readonly url: string;
  /** The certificates of the authority that vouches for it, where the address names one. */
  readonly authority?: string | undefined;
}

export function driverAddress(server: Server): DriverAddress {
  const parsed = parsePostgresAddress(server.url);
  const { url } = parsed;
  return { url, ...hostOf(url), ...tlsOf(parsed, server.authority) };
}

/**
 * The driver cuts a host at its first colon, so an IPv6 host is given apart from the address, and as a list: only those
 * are left whole, though the driver's types do not say so.
 */
export function hostOf(url: string): { readonly host?: string; readonly port?: number } {
  const [authority = ""] = url.replace(/^[a-z]+:\/\//i, "").split(/[/?#]/);
  const found = /^\[([^\]]*)\](?::(\d+))?$/.exec(authority.slice(authority.lastIndexOf("@") + 1));
  if (!found) return {};
  const [, host, port = DEFAULT_PORT] = found;
  const apart: unknown = { host: [host], port: [Number(port)] };
  return apart as ReturnType<typeof hostOf>;
}

const DEFAULT_PORT = 5432;

function tlsOf(parsed: PostgresAddress, authority: string | undefined): Pick<DriverAddress, "ssl"> {
  const verified = () => ({ ssl: verifying(parsed, authority) });
  switch (parsed.mode) {
    case null:
      throw storeFault("store_unsafe", "The address of the store has an sslmode that is not known.", {
        next: `Give one of ${SSL_MODES.join(", ")}.`,
      });
    case "disable":
      return {};
    case "allow":
    case "prefer":
      return { ssl: "prefer" };
    case "require":
      // An address that names an authority wants the server to be verified.
      return authority === undefined ? { ssl: "require" } : verified();
    case "verify-ca":
    case "verify-full":
      return verified();
  }
}

function verifying({ mode, hosts }: PostgresAddress, authority: string | undefined): TlsOptions {
  const identity = mode === "verify-full" ? hostIdentity(hosts) : () => undefined;
  return {
    ...(authority !== undefined && { ca: authority }),
    rejectUnauthorized: true,
    checkServerIdentity: identity,
  };
}

/** The driver passes the host if it is a name. */
function hostIdentity([host = ""]: readonly string[]): TlsOptions["checkServerIdentity"] {
  return (name, certificate) => checkServerIdentity(isIP(host) === 0 ? name : host, certificate);
}
