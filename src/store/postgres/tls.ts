/**
 * How the driver is to use TLS. By itself it knows no file of an authority, and takes a server that is named by its number
 * for "localhost"; so the address is read here, and the driver is told the outcome.
 */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { isAbsolute } from "node:path";
import { checkServerIdentity, type PeerCertificate } from "node:tls";
import { type PostgresAddress, parsePostgresAddress, SSL_MODES } from "../../domain/postgres-address.ts";
import { storeFault } from "./faults.ts";

export interface DriverAddress {
  readonly url: string;
  readonly ssl?: "require" | "prefer" | TlsOptions;
}

interface TlsOptions {
  readonly ca?: Buffer;
  readonly rejectUnauthorized: true;
  readonly checkServerIdentity: (name: string, certificate: PeerCertificate) => Error | undefined;
}

export function driverAddress(address: string): DriverAddress {
  const parsed = parsePostgresAddress(address);
  const { url, mode, rootCertificate } = parsed;
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
      // Whoever names an authority wants it to be asked.
      return { url, ssl: rootCertificate === null ? "require" : verifying(parsed) };
    case "verify-ca":
    case "verify-full":
      return { url, ssl: verifying(parsed) };
  }
}

function verifying({ mode, hosts, rootCertificate }: PostgresAddress): TlsOptions {
  const identity = mode === "verify-full" ? hostIdentity(hosts) : () => undefined;
  return {
    ...(rootCertificate !== null && { ca: readAuthority(rootCertificate) }),
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

function readAuthority(file: string): Buffer {
  try {
    // From another directory it would be another file.
    if (!isAbsolute(file)) throw new Error("it is not an absolute path");
    return readFileSync(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw storeFault("store_unsafe", `The file of sslrootcert, ${file}, cannot be read: ${reason}.`, {
      next: "Name a file with the certificates of the server's authority.",
      cause: error,
      facts: { path: file },
    });
  }
}
