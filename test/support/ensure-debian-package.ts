import { spawnSync } from "node:child_process";
import { join } from "node:path";

const INSTALL = join(import.meta.dirname, "install-packages.mjs");

/** Whether a package is there; on Debian and as root it is installed first. It says aloud when one is missing. */
export function ensureDebianPackage(name: string): boolean {
  return spawnSync(process.execPath, [INSTALL, name], { stdio: ["ignore", "inherit", "inherit"] }).status === 0;
}

/** The file of an installed package whose path ends so. */
export function packagedFile(name: string, ending: string): string {
  const { stdout } = spawnSync("dpkg", ["-L", name], { encoding: "utf8" });
  const file = stdout.split("\n").find((path) => path.endsWith(ending));
  if (file === undefined) throw new Error(`the package ${name} has no file that ends in ${ending}`);
  return file;
}
