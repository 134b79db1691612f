/** What git's hooks do not stop, wherever they are set up. A plan names what is particular to a repository. */

export interface GitHole {
  readonly what: string;
  readonly why: string;
}

export const GIT_HOLES: readonly GitHole[] = [
  {
    what: "add, apply, clean, mv, restore, rm, checkout of files",
    why: "git asks no hook. The hooks of the harness refuse them.",
  },
  {
    what: "checkout, switch, reset --hard and --mixed, cherry-pick, revert, stash pop, apply and drop, branch -m and -c",
    why: "git asks when files, index or logs have changed already. The hooks of the harness refuse them.",
  },
  {
    what: "rebase --no-verify, rebase --autostash of changed files, symbolic-ref before git 2.47",
    why: "git asks no hook, or when it has put the changed files aside.",
  },
  {
    what: "commands in Codex's sandbox",
    why: "the processes above them cannot be seen, so nothing proves whose they are.",
  },
  {
    what: "programs that change a repository without git, such as isomorphic-git, libgit2, gix and jj",
    why: "they run no hooks of git.",
  },
  {
    what: "git -c core.hooksPath=DIRECTORY with a git before 2.54, and rooms below the directory in which git is started",
    why: "git then looks for other hooks; a room counts for the directories below it.",
  },
];
