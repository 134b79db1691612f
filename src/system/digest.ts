import { createHash } from "node:crypto";

/** A digest as hexadecimal text. */
export function sha256Hex(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
