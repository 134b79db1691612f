/** The code of an operating-system error ("ENOENT"), or "" for anything else that was thrown. */
export function errorCode(error: unknown): string {
  if (typeof error !== "object" || error === null || !("code" in error)) return "";
  return typeof error.code === "string" ? error.code : "";
}

/** An error with such a code. */
export function codedError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** No such file, or a parent that is no directory: either way there is nothing at that path. */
export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
}
