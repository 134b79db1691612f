/**
 * Runs a command while some directories are read-only for it and for all that it starts. On Linux that is Landlock, which
 * a perl of the system sets up by system calls before it becomes the command: this takes no privileges and no binary of
 * ours. On macOS it is sandbox-exec.
 */
import type { Environment } from "../settings/environment.ts";
import { findProgram } from "./find-program.ts";
import { runCommand } from "./run-command.ts";

export interface ReadOnlyRun {
  readonly command: readonly string[];
  /** Directories without symlinks that stay as they are. */
  readonly directories: readonly string[];
  readonly env: Environment;
  /** Whether a terminal sends Ctrl-C to the command itself. */
  readonly hasTerminal: boolean;
}

/** `unavailable`: the command did not run, because nothing here can keep it from writing. */
export type ReadOnlyEnd =
  | { readonly ended: "code"; readonly code: number }
  | { readonly ended: "unavailable"; readonly why: string };

export async function runReadOnly(run: ReadOnlyRun): Promise<ReadOnlyEnd> {
  const start =
    process.platform === "linux" ? withLandlock(run) : process.platform === "darwin" ? withSandbox(run) : null;
  if (start === null) return { ended: "unavailable", why: `tt ro does not know how on ${process.platform}` };
  if (typeof start === "string") return { ended: "unavailable", why: start };
  const { code } = await runCommand({ ...start, hasTerminal: run.hasTerminal });
  return { ended: "code", code };
}

interface Start {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Environment;
}

/**
 * The number of prctl(2) for this processor. The numbers of Landlock, 444 to 446, are the same on all of them. Null on
 * a processor where they may not be.
 */
const PRCTL: Readonly<Record<string, number>> = {
  x64: 157,
  arm64: 167,
  riscv64: 167,
  loong64: 167,
  ppc64: 171,
  s390x: 172,
  arm: 172,
  ia32: 172,
};

function withLandlock({ command, directories, env }: ReadOnlyRun): Start | string {
  const perl = findProgram(env, "perl");
  const prctl = PRCTL[process.arch];
  if (perl === null) return "it takes perl, which is not on the path";
  if (prctl === undefined) return `it does not know the system calls of ${process.arch}`;
  const count = String(directories.length);
  return {
    program: perl,
    args: ["-e", LANDLOCK, "--", String(prctl), count, ...directories, ...command],
    env: hidePerlVariables(env),
  };
}

/** Settings of the user's own perl programs must not reach ours; it gives them back to the command. */
function hidePerlVariables(env: Environment): Environment {
  const hidden = Object.entries(env).map(([name, value]) => [name.startsWith("PERL") ? `TT_RO_${name}` : name, value]);
  // A locale that is not installed is not for us to tell.
  return { ...(Object.fromEntries(hidden) as Environment), PERL_BADLANG: "0" };
}

/**
 * Landlock allows; it cannot forbid. So everything beside the directories and beside their parents is allowed, and what
 * lies directly in a parent cannot be created or removed. Reading and executing are not restricted. A symlink is never
 * followed: it may lead into the tree. A second mount of a directory is known by its device and inode.
 */
const LANDLOCK = String.raw`
my ($prctl, $count) = splice @ARGV, 0, 2;
my @kept = splice @ARGV, 0, $count;
sub give_up { print STDERR "tt ro: $_[0]. The command did not run.\n"; exit 125 }
delete $ENV{PERL_BADLANG};
for my $name (grep { /^TT_RO_PERL/ } keys %ENV) { $ENV{substr $name, 6} = delete $ENV{$name} }
my $abi = syscall(444, 0, 0, 1);
give_up("this system has no Landlock ($!)") if $abi < 0;
give_up("Landlock of this kernel is too old: its version is $abi, and 3 is required") if $abi < 3;
my $wide = sub { unpack("C", pack("S", 1)) ? pack("L2", $_[0], 0) : pack("L2", 0, $_[0]) };
my $file_rights = 1 << 1 | 1 << 14;
my $rights = $file_rights; $rights |= 1 << $_ for 4 .. 13;
my $handled = $wide->($rights);
my $rules = syscall(444, $handled, 8, 0);
give_up("Landlock refused its rules ($!)") if $rules < 0;
my %kept; for (@kept) { my @s = stat or give_up("cannot look at $_ ($!)"); $kept{"$s[0]:$s[1]"} = 1 }
my %above; for my $path (@kept) { my $up = $path; while ($up =~ s{/[^/]*\z}{}s) { $above{$up eq "" ? "/" : $up} = 1 } }
sub allow {
  my ($path) = @_;
  my @s = lstat $path or return;
  return if -l _ or $kept{"$s[0]:$s[1]"};
  if ($above{$path}) {
    opendir my $entries, $path or return;
    for (readdir $entries) { allow(($path eq "/" ? "" : $path) . "/$_") unless $_ eq "." or $_ eq ".." }
    return;
  }
  my $mine = -d _ ? $rights : $file_rights;
  # O_PATH and O_CLOEXEC
  sysopen my $at, $path, 010000000 | 02000000 or return;
  my $rule = $wide->($mine) . pack("l", fileno $at);
  syscall(445, $rules + 0, 1, $rule, 0);
}
allow("/");
# PR_SET_NO_NEW_PRIVS
syscall($prctl + 0, 38, 1, 0, 0, 0);
syscall(446, $rules + 0, 0) == 0 or give_up("Landlock refused to begin ($!)");
{ no warnings; exec { $ARGV[0] } @ARGV }
my $is_missing = $! == 2;
print STDERR "tt ro: $ARGV[0]: $!\n";
exit($is_missing ? 127 : 126);
`;

/** Not run by our tests. The shell in it gives the usual exit codes for a command that is missing. */
function withSandbox({ command, directories, env }: ReadOnlyRun): Start | string {
  const sandbox = findProgram(env, "sandbox-exec");
  if (sandbox === null) return "it takes sandbox-exec, which is not on the path";
  const places = directories.map((_, index) => `(subpath (param "TREE_${index}"))`).join(" ");
  const named = directories.flatMap((path, index) => ["-D", `TREE_${index}=${path}`]);
  const profile = `(version 1)(allow default)(deny file-write* ${places})`;
  return { program: sandbox, args: [...named, "-p", profile, "/bin/sh", "-c", 'exec "$@"', "sh", ...command], env };
}
