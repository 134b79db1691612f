/** A digest as hexadecimal text. The module behind it is slow to load, so it is loaded when first needed. */
export function sha256Hex(text: string): string {
  return process.getBuiltinModule("node:crypto").createHash("sha256").update(text).digest("hex");
}
