import { spawnSync } from "node:child_process";
import { isRoot } from "./privileges.ts";

/**
 * Whether a package of the operating system is there; on Debian and as root it is installed first. Says aloud when
 * it is missing, because a silent gap looks like a pass.
 */
export function ensureDebianPackage(name: string): boolean {
  if (isInstalled(name)) return true;
  if (isRoot && (install(name) || (run("apt-get", ["update"]) && install(name)))) return true;
  process.stderr.write(`SKIPPED: a test that needs the Debian package ${name}, which is not installed\n`);
  return false;
}

/** The file of an installed package whose path ends so. */
export function packagedFile(name: string, ending: string): string {
  const { stdout } = spawnSync("dpkg", ["-L", name], { encoding: "utf8" });
  const file = stdout.split("\n").find((path) => path.endsWith(ending));
  if (file === undefined) throw new Error(`the package ${name} has no file that ends in ${ending}`);
  return file;
}

function isInstalled(name: string): boolean {
  const { stdout } = spawnSync("dpkg-query", ["-W", "-f", "${Status}", name], { encoding: "utf8" });
  return stdout === "install ok installed";
}

function install(name: string): boolean {
  return run("apt-get", ["install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=60", name]);
}

function run(program: string, args: readonly string[]): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(program, args, { env, stdio: "ignore", timeout: 90_000 }).status === 0;
}
