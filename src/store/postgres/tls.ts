/**
 * How the driver is to use TLS. By itself it knows no file of an authority, and takes a server that is named by its number
 * for "localhost"; so the address is read here, and the driver is told the outcome.
 */
import { isIP } from "node:net";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { type PostgresAddress, parsePostgresAddress, SSL_MODES } from "../../core/postgres-address.ts";
import { storeFault } from "./faults.ts";

export interface DriverAddress {
  readonly url: string;
  readonly ssl?: "require" | "prefer" | TlsOptions;
}

interface TlsOptions {
  readonly ca?: string;
  readonly rejectUnauthorized: true;
  readonly checkServerIdentity: (name: string, certificate: PeerCertificate) => Error | undefined;
}

/** What is known of the server before it is asked. */
export interface Server {
  readonly url: string;
  /** The certificates of the authority that vouches for it, where the address names one. */
  readonly authority?: string | undefined;
}

export function driverAddress(server: Server): DriverAddress {
  const parsed = parsePostgresAddress(server.url);
  const { url, mode } = parsed;
  const verified = () => ({ url, ssl: verifying(parsed, server.authority) });
  switch (mode) {
    case null:
      throw storeFault("store_unsafe", "The address of the store has an sslmode that is not known.", {
        next: `Give one of ${SSL_MODES.join(", ")}.`,
      });
    case "disable":
      return { url };
    case "allow":
    case "prefer":
      return { url, ssl: "prefer" };
    case "require":
      // An address that names an authority wants it to be asked.
      return server.authority === undefined ? { url, ssl: "require" } : verified();
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

/** The driver tells the host where that is a name; where it is a number, it is one of those in the address. */
function hostIdentity(hosts: readonly string[]): TlsOptions["checkServerIdentity"] {
  return (name, certificate) => {
    const numbers = hosts.filter((host) => isIP(host) !== 0);
    const candidates = hosts.includes(name) || numbers.length === 0 ? [name] : numbers;
    const problems = candidates.map((host) => checkServerIdentity(host, certificate));
    return problems.includes(undefined) ? undefined : problems[0];
  };
}
