import { isAbsolute } from "node:path";
import { Fault } from "../../core/fault.ts";
import { parsePostgresAddress } from "../../core/postgres-address.ts";
import { readRegularFile } from "../files/bounded-read.ts";

const MAX_BYTES = 1024 * 1024;

/** The certificates in the file that the address of the store names with sslrootcert; undefined when it names none. */
export function readStoreAuthority(address: string): string | undefined {
  const { rootCertificate: file } = parsePostgresAddress(address);
  if (file === null) return undefined;
  try {
    // From another directory it would be another file.
    if (!isAbsolute(file)) throw new Error("it is not an absolute path");
    return readRegularFile(file, MAX_BYTES).bytes.toString("utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Fault("store_unsafe", `The file of sslrootcert, ${file}, cannot be read: ${reason}.`, {
      next: "Name a file with the certificates of the server's authority.",
      retry: false,
      cause: error,
      facts: { path: file },
    });
  }
}
