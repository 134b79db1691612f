// Puts newer versions of git than the installed one into .cache/git, from the packages of Debian, each with the libraries
// that it needs. They come by apt, from where this machine gets its packages, and apt checks their signatures. They are
// other people's programs and no part of ours: what cannot be had is named, and not tested.
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, linkSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const cache = resolve(import.meta.dirname, "../../../.cache/git");
/** By suite, the versions that the tests know: git 2.47, and one that takes hooks from the configuration. */
const suites = { trixie: /^git version 2\.47\./, sid: /^git version 2\.55\./ };
const packages = ["git", "libc6", "libpcre2-8-0", "zlib1g"];
const longestMs = 180_000;

if (process.platform !== "linux" || process.arch !== "x64")
  skip(`none are known for ${process.platform}-${process.arch}`);
else for (const suite of Object.keys(suites).filter((name) => !existsSync(join(cache, name)))) install(suite);

function install(suite) {
  const work = join(cache, `.${suite}-${process.pid}`);
  try {
    mkdirSync(work, { recursive: true });
    fetchPackages(suite, work);
    const [root, final] = [join(work, "root"), join(cache, suite)];
    const libraries = "usr/lib/x86_64-linux-gnu";
    const [git, second] = ["usr/bin/git", "usr/lib/git-core/git"].map((path) => join(root, path));
    // The program must be a process of its own name, so it is told where its libraries are.
    const words = [
      "--set-interpreter",
      join(final, "root", libraries, "ld-linux-x86-64.so.2"),
      "--set-rpath",
      join(final, "root", libraries),
    ];
    execFileSync(join(work, "patchelf/usr/bin/patchelf"), [...words, git]);
    rmSync(second);
    linkSync(git, second);
    const start = join(work, "bin/git");
    mkdirSync(join(work, "bin"));
    const lines = [
      "#!/bin/sh",
      `GIT_EXEC_PATH='${final}/root/usr/lib/git-core' exec '${final}/root/usr/bin/git' "$@"`,
      "",
    ];
    writeFileSync(start, lines.join("\n"));
    chmodSync(start, 0o755);
    for (const left of ["apt", "debs", "patchelf"]) rmSync(join(work, left), { recursive: true, force: true });
    renameSync(work, final);
    const version = execFileSync(join(final, "bin/git"), ["--version"], { encoding: "utf8" }).trim();
    if (suites[suite].test(version)) return console.log(`installed ${version}`);
    rmSync(final, { recursive: true });
    skip(`${suite} has ${version}, which the tests do not know yet`);
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    skip(`${suite}: ${String(error).split("\n")[0]}`);
  }
}

/** By an apt with lists and a cache of its own, so that nothing of the machine's changes. */
function fetchPackages(suite, work) {
  const words = ["indextargets", "--format", "$(SITE) $(CODENAME)", "Created-By: Packages", "Origin: Debian"];
  const [site, ours] = run("apt-get", words, work).split("\n")[0].split(" ");
  const [apt, debs] = [join(work, "apt"), join(work, "debs")];
  for (const name of ["lists/partial", "cache/archives/partial"]) mkdirSync(join(apt, name), { recursive: true });
  mkdirSync(debs);
  const lines = [suite, ours].map((name) => `deb ${site} ${name} main\n`);
  writeFileSync(join(apt, "sources.list"), lines.join(""));
  const settings = {
    "Dir::State::Lists": join(apt, "lists"),
    "Dir::Cache": join(apt, "cache"),
    "Dir::Etc::SourceList": join(apt, "sources.list"),
    "Dir::Etc::SourceParts": "-",
    "APT::Sandbox::User": "root",
  };
  const options = Object.entries(settings).flatMap(([key, value]) => ["-o", `${key}=${value}`]);
  run("apt-get", [...options, "-qq", "update"], work);
  run("apt-get", [...options, "-qq", "download", ...packages.map((name) => `${name}/${suite}`)], debs);
  for (const file of readdirSync(debs)) run("dpkg-deb", ["-x", join(debs, file), join(work, "root")], work);
  // This one runs here, so it must be from the machine's own suite.
  run("apt-get", [...options, "-qq", "download", `patchelf/${ours}`], apt);
  const patchelf = readdirSync(apt).find((name) => name.endsWith(".deb")) ?? "";
  run("dpkg-deb", ["-x", join(apt, patchelf), join(work, "patchelf")], work);
}

function run(program, words, cwd) {
  return execFileSync(program, words, { cwd, encoding: "utf8", timeout: longestMs, stdio: ["ignore", "pipe", "pipe"] });
}

function skip(why) {
  console.log(`\nSKIPPED: tests with newer versions of git: ${why}\n`);
}
