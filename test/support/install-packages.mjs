// Installs the named packages of Debian that are missing: shells and other programs that some tests need. Says so first, and
// says in one line what could not be had: the tests that need it are skipped. Ends with 0 if all are here. `--limit=SECONDS`
// is for packages that take longer to fetch.
import { spawnSync } from "node:child_process";

const [limit, ...names] = (process.argv[2] ?? "").startsWith("--limit=")
  ? process.argv.slice(2)
  : ["", ...process.argv.slice(2)];
/** For each step; half of it also for the lock of another installation. */
const LIMIT_S = Number(limit.slice("--limit=".length)) || 60;

const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
const run = (program, ...words) => spawnSync(program, words, { env, encoding: "utf8", timeout: LIMIT_S * 1000 });
const apt = (...words) => run("apt-get", "-o", `DPkg::Lock::Timeout=${LIMIT_S / 2}`, ...words).status === 0;
const install = (packages) => apt("install", "-y", "--no-install-recommends", ...packages);

/** On other systems, as a program. */
const isHere = (name) =>
  run("dpkg-query", "-W", "-f", "${Status}", name).stdout === "install ok installed" ||
  run(name, "--version").status === 0;

const missing = names.filter((name) => !isHere(name));
if (missing.length > 0 && process.getuid?.() === 0) {
  process.stderr.write(`installing ${missing.join(", ")}, for at most ${LIMIT_S} s a step …\n`);
  if (!install(missing) && apt("update")) install(missing);
}
const left = missing.filter((name) => !isHere(name));
if (left.length > 0) {
  process.stderr.write(`SKIPPED: tests that need ${left.join(", ")}, which could not be installed\n`);
  process.exitCode = 1;
}
