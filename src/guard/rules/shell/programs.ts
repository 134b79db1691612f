/** The programs that are judged by their flags alone, as data. */

/** Where a program that writes puts what it writes. `unnamed`: the words do not say. */
export type Places = "operands" | "rest" | "last" | "second" | "here" | "unnamed";

export interface ProgramRow {
  /** Flags that change nothing about what it writes. Any other flag is a doubt. */
  readonly flags?: string;
  /** Flags that make it write. The value of one is the path. */
  readonly writing?: string;
  /** Flags with which it only prints. */
  readonly printing?: string;
  /** Flags whose value is the directory that it writes into. */
  readonly into?: string;
  /** What it writes without a flag; nothing if absent. `second`: only if there is a second operand. */
  readonly writes?: Places;
}

/** Whatever their words are, they write no file. */
const READERS = `
  ls dir vdir cat tac head tail wc nl rev cut paste join comm tr fold fmt expand unexpand column colrm col
  od hexdump hd strings stat du df basename dirname realpath readlink pwd
  md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum b2sum cksum sum md5
  cmp diff diff3 grep egrep fgrep zgrep zegrep zfgrep zcat bzcat xzcat zstdcat bzgrep xzgrep zcmp zdiff
  seq yes sleep true false : test [ expr echo factor numfmt tsort base32 basenc
  jq eza exa lsd which whereis whatis apropos locate whoami id groups users who w uname arch nproc uptime
  free ps pgrep pidof lsof printenv getent getconf locale tty tput clear cal ncal
  readelf nm objdump ldd size otool sw_vers vm_stat
  ping dig host nslookup netstat ifconfig lscpu lsblk lspci lsusb
  exit return break continue shift times wait fg bg disown suspend caller dirs logout type help umask ulimit
  shopt dircolors tokei
`;

/** Programs that can do anything, but print their version for --version. */
const VERSION_ONLY = `
  node npm npx yarn pnpm bun deno python python2 python3 pip pip3 ruby perl php java javac go rustc cargo rustup gcc
  g++ cc c++ clang make cmake tsc eslint prettier docker kubectl gh terraform psql sqlite3 bash zsh sh git-lfs uv ruff
  black mypy pytest jest vitest swift dotnet mvn gradle vim nvim emacs nano tmux code claude codex gemini opencode less
  gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd
`;

const ROWS: Readonly<Record<string, ProgramRow>> = {
  sort: {
    flags:
      "bcCdfghiMmnRrsuVz k: t: S: --reverse --unique --numeric-sort --human-numeric-sort --version-sort --general-numeric-sort --key: --field-separator: --check? --stable --ignore-case --random-sort --zero-terminated --parallel: --buffer-size: --files0-from: --month-sort",
    writing: "o: --output:",
  },
  shuf: { flags: "er n: i: z --head-count: --input-range: --echo --repeat --zero-terminated", writing: "o: --output:" },
  uniq: {
    flags: "cdDuiz f: s: w: --count --repeated --unique --ignore-case --skip-fields: --skip-chars: --check-chars:",
    writes: "second",
  },
  xxd: { flags: "abdeEipruCP c: g: l: n: o: s: R:", writes: "second" },
  base64: { flags: "dDi w: --decode --wrap: --ignore-garbage", writing: "o:" },
  tree: {
    flags:
      "adfilnpsughDFqNQrtUvxCAS L: P: I: H: T: J X --dirsfirst --noreport --gitignore --prune --du --filelimit: --charset: --si --inodes --device --matchdirs --ignore-case",
    writing: "o:",
  },
  file: { flags: "bhiLkNnprsvz0 m: f: F: P: e: --brief --mime --mime-type --mime-encoding --dereference" },
  bat: {
    flags:
      "pnAfP r: l: H: --plain --number --paging: --color: --style: --line-range: --language: --theme: --decorations: --wrap:",
  },
  yq: {
    flags:
      "ercCMjPnNo: p: I: --exit-status --raw-output --compact-output --output-format: --input-format: --prettyPrint --no-colors --null-input --colors --indent: --unwrapScalar? --no-doc",
    writing: "i --inplace",
  },
  gofmt: { flags: "l d e s r: --l --d", writing: "w" },
  date: { flags: "uRjn d: f: r: v: I? --date: --utc --universal --iso-8601? --rfc-3339: --reference: --rfc-email" },
  hostname: { flags: "fsIiAdy --fqdn --short --ip-address --all-ip-addresses" },
  man: { flags: "akfwWK s: S: M: L: m: --all --where --path --sections: --locale: --apropos --whatis" },
  xmllint: {
    flags: "--format --noout --xpath: --nonet --recover --html --valid --schema: --c14n --huge",
    writing: "--output: o:",
  },
  openssl: { writes: "unnamed" },
  unzip: {
    flags: "nojaCLqPuUXK x:",
    printing: "l v p t Z z",
    into: "d:",
    writes: "here",
  },
  zip: { flags: "r q u m j 0 1 9 y x: i: e", writes: "unnamed" },
  rm: { flags: "rRfivdIxP --recursive --force --verbose --interactive? --one-file-system --dir", writes: "operands" },
  touch: { flags: "acmhf t: d: r: --no-create --date: --reference: --time:", writes: "operands" },
  mkdir: { flags: "pv m: --parents --verbose --mode:", writes: "operands" },
  rmdir: { flags: "pv --parents --verbose --ignore-fail-on-non-empty", writes: "operands" },
  unlink: { writes: "operands" },
  shred: { flags: "fuvxz n: s: --force --remove? --verbose --zero --iterations: --size:", writes: "operands" },
  truncate: { flags: "co s: r: --no-create --size: --reference:", writes: "operands" },
  mkfifo: { flags: "m: --mode:", writes: "operands" },
  mknod: { flags: "m: --mode:", writes: "operands" },
  tee: { flags: "aip --append --ignore-interrupts --output-error?", writes: "operands" },
  sponge: { flags: "a", writes: "operands" },
  chmod: { flags: "RvcfhHLP --recursive --verbose --changes --quiet --silent", writes: "rest" },
  chown: { flags: "RvcfhHLP --recursive --verbose --changes --no-dereference --from:", writes: "rest" },
  chgrp: { flags: "RvcfhHLP --recursive --verbose --changes --no-dereference", writes: "rest" },
  chattr: { writes: "unnamed" },
  setfacl: { writes: "unnamed" },
  xattr: { writes: "unnamed" },
  cp: copier(
    "aRrdpPHLfinuvxlsTcX --recursive --archive --force --verbose --no-clobber --update? --parents --preserve? --dereference --no-dereference --link --symbolic-link --no-target-directory --reflink? --sparse:",
  ),
  mv: {
    ...copier("finuvT --force --verbose --no-clobber --update? --no-target-directory"),
    writes: "operands",
  },
  ln: copier("sfnivTrLPFh --symbolic --force --no-dereference --verbose --relative --no-target-directory"),
  install: copier("cCDdpsvT m: o: g: --mode: --owner: --group: --directory --compare --preserve-timestamps --verbose"),
  rename: { writes: "unnamed" },
  split: { writes: "unnamed" },
  csplit: { writes: "unnamed" },
  mktemp: { flags: "dqt V --directory --quiet --suffix:", printing: "u --dry-run", writes: "operands" },
  patch: {
    flags:
      "NRsfEltbu p: F: i: --input: --forward --reverse --strip: --fuzz: --silent --quiet --force --batch --ignore-whitespace",
    printing: "--dry-run C",
    into: "d: --directory:",
    writes: "here",
  },
  apply_patch: { writes: "unnamed" },
  applypatch: { writes: "unnamed" },
  ed: { writes: "unnamed" },
};

function copier(flags: string): ProgramRow {
  return { flags, into: "t: --target-directory:", writes: "last" };
}

/** Programs of which the second word tells whether they write. */
const VERBS: Readonly<Record<string, { readonly reads: string; readonly writes: string }>> = {
  npm: {
    reads: "ls list la ll view info show v why explain root prefix whoami ping bin search",
    writes:
      "install i in add ci clean-install uninstall remove rm un r update up upgrade dedupe prune link version init create audit-fix rebuild",
  },
  yarn: { reads: "why info list", writes: "add install remove up upgrade dedupe link init" },
  pnpm: {
    reads: "ls list why view info outdated root",
    writes: "add install i remove rm update up upgrade prune link init",
  },
  bun: { reads: "", writes: "add install i remove rm update init" },
  cargo: { reads: "version tree metadata", writes: "fmt add remove init new fix clean update" },
  go: { reads: "version", writes: "fmt get mod" },
  docker: {
    reads: "ps images logs inspect version info stats top port diff history search",
    writes: "",
  },
  kubectl: { reads: "get describe logs version explain top api-resources api-versions cluster-info", writes: "" },
  brew: { reads: "list info search deps --prefix", writes: "" },
  apt: { reads: "list show search policy", writes: "" },
  "apt-cache": { reads: "show search policy depends rdepends", writes: "" },
  systemctl: { reads: "status is-active is-enabled list-units cat show", writes: "" },
};

let readers: ReadonlySet<string> | null = null;
let versionOnly: ReadonlySet<string> | null = null;

export function isReader(program: string): boolean {
  readers ??= new Set(READERS.trim().split(/\s+/));
  return readers.has(program);
}

/** Whether the program prints its version for --version, and does nothing else then. */
export function hasVersionFlag(program: string): boolean {
  versionOnly ??= new Set(VERSION_ONLY.trim().split(/\s+/));
  return versionOnly.has(program);
}

export function rowOf(program: string): ProgramRow | null {
  return Object.hasOwn(ROWS, program) ? (ROWS[program] ?? null) : null;
}

/** What a verb of a program does; null if the program has no such table. */
export function effectOfVerb(program: string, verb: string): "reads" | "writes" | "unknown" | null {
  const verbs = Object.hasOwn(VERBS, program) ? VERBS[program] : undefined;
  if (verbs === undefined) return null;
  if (verbs.reads.split(" ").includes(verb)) return "reads";
  return verbs.writes.split(" ").includes(verb) ? "writes" : "unknown";
}
