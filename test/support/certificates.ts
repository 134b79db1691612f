/** Certificates of the test's own, made with openssl. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

const KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"];

export interface Certificates {
  /** What the server needs: server.key, and a certificate for each name in `server`. */
  readonly directory: string;
  readonly authority: string;
  /** An authority that has signed nothing here. */
  readonly stranger: string;
}

function openssl(...args: readonly string[]): void {
  execFileSync("openssl", args, { stdio: "pipe" });
}

/** One key, with a certificate for each of the names: `{ "server.crt": "DNS:localhost" }`. */
export function makeCertificates(root: string, server: Readonly<Record<string, string>>): Certificates {
  const directory = join(root, "server");
  mkdirSync(directory);
  const inRoot = (name: string) => join(root, name);
  for (const name of ["authority", "stranger"]) {
    const files = ["-keyout", inRoot(`${name}.key`), "-out", inRoot(`${name}.crt`)];
    openssl("req", "-x509", ...KEY, "-nodes", "-days", "2", "-subj", `/CN=${name}`, ...files);
  }
  const key = join(directory, "server.key");
  openssl("req", ...KEY, "-nodes", "-subj", "/CN=server", "-keyout", key, "-out", inRoot("server.csr"));
  for (const [name, names] of Object.entries(server)) {
    writeFileSync(inRoot("names"), `subjectAltName=${names}\n`);
    const signer = ["-CA", inRoot("authority.crt"), "-CAkey", inRoot("authority.key"), "-CAcreateserial"];
    const files = ["-in", inRoot("server.csr"), "-extfile", inRoot("names"), "-out", join(directory, name)];
    openssl("x509", "-req", "-days", "2", ...signer, ...files);
  }
  return { directory, authority: inRoot("authority.crt"), stranger: inRoot("stranger.crt") };
}
