/**
 * A file that leads a browser to an address. The browser is started with the name of the file, so that no list of
 * processes shows the address and the secret in it. Only the user can read it, and it is removed soon.
 */
import { statSync } from "node:fs";
import { prepareOwnFiles } from "../files/data-directory.ts";
import { listNames } from "../files/list-names.ts";
import { pathIn } from "../files/path-in.ts";
import { removePrivateFile, writePrivateText } from "../files/private-file.ts";
import { removeQuietly } from "../files/replace-file.ts";

const DIRECTORY = "ui";
/** A server that was killed leaves its file behind. Its secret ended with it. */
const LEFT_BEHIND_MS = 600_000;

export interface RedirectFile {
  readonly path: string;
  /** May be called more than once. */
  remove(): void;
}

/** `html` is the whole text of the file. */
export function writeRedirectFile(dataDir: string, html: string): RedirectFile {
  prepareOwnFiles(dataDir, { uid: process.getuid?.() ?? -1 });
  const directory = pathIn(dataDir, DIRECTORY);
  const path = pathIn(directory, `open-${process.pid}.html`);
  writePrivateText(directory, path, html);
  removeLeftBehind(directory);
  const remove = () => {
    process.removeListener("exit", removeAtExit);
    removePrivateFile(path);
  };
  const removeAtExit = () => removeQuietly(path);
  process.prependOnceListener("exit", removeAtExit);
  return { path, remove };
}

function removeLeftBehind(directory: string): void {
  for (const name of listNames(directory)) {
    const path = pathIn(directory, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() && Date.now() - stats.mtimeMs > LEFT_BEHIND_MS) removeQuietly(path);
  }
}
