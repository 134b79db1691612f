import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";

export interface CaptureOptions {
  /** Whether the time of the last change belongs to it. */
  readonly times?: boolean;
  /** Names at the top that are not looked at. */
  readonly without?: readonly string[];
  /** Whether directories belong to it, too. Git knows none. */
  readonly directories?: boolean;
}

/** Everything below a directory by its name, one character for each byte: kind, mode, content, and times on demand. */
export function captureTree(directory: string, options: CaptureOptions = {}): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const walk = (path: Buffer, name: string): void => {
    const stats = lstatSync(path, { bigint: true });
    const time = options.times ? ` ${stats.mtimeNs} ${stats.ctimeNs}` : "";
    const note = (what: string) => found.set(name, `${stats.mode.toString(8)}${time} ${what}`);
    if (stats.isDirectory()) {
      if (options.directories) note("directory");
      for (const entry of readdirSync(path, { encoding: "buffer" })) {
        const inside = name === "" ? entry.toString("latin1") : `${name}/${entry.toString("latin1")}`;
        if (name === "" && options.without?.includes(inside)) continue;
        walk(Buffer.concat([path, Buffer.from("/"), entry]), inside);
      }
    } else if (stats.isSymbolicLink()) note(`-> ${readlinkSync(path, { encoding: "buffer" }).toString("latin1")}`);
    else if (stats.isFile()) note(createHash("sha256").update(readFileSync(path)).digest("hex"));
    else note("other");
  };
  walk(Buffer.from(directory), "");
  return found;
}
