/**
 * The path of something in a directory. Node's `join` also puts the path in order, which these are already, and takes a
 * short command some time to get going.
 */
export function pathIn(directory: string, name: string): string {
  return directory.endsWith("/") ? `${directory}${name}` : `${directory}/${name}`;
}

/** Whether a path is a directory itself or lies below it. */
export function isWithin(directory: string, path: string): boolean {
  return path === directory || path.startsWith(pathIn(directory, ""));
}
