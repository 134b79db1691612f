/** What agents do with git: what is refused to one without the stick, and what never is. */

export interface Operation {
  readonly name: string;
  /** What a person does before. */
  readonly before?: string;
  readonly line: string;
  /** The first git that asks about it. */
  readonly since?: number;
}

const edit = "echo more >>first.txt";
const conflict =
  "git switch -qc other && echo theirs >first.txt && git commit -qam theirs && git switch -q main && echo ours >first.txt && git commit -qam ours";

export const REFUSED: readonly Operation[] = [
  { name: "commit -a", before: edit, line: "git commit -am x" },
  { name: "commit of what is staged", before: `${edit} && git add .`, line: "git commit -m x" },
  { name: "commit of a path", before: edit, line: "git commit -m x first.txt" },
  { name: "commit --no-verify", before: edit, line: "git commit --no-verify -am x" },
  { name: "commit --allow-empty", line: "git commit --allow-empty -m x" },
  { name: "commit --amend", line: "git commit --amend -m x" },
  { name: "commit --amend --no-verify", before: edit, line: "git commit --amend --no-verify --no-edit -a" },
  { name: "commit from a directory below", before: edit, line: "cd sub && git commit -am x" },
  {
    name: "commit with options before the verb",
    before: edit,
    line: "git -c user.name=B --no-pager -C sub commit -am x",
  },
  { name: "commit by an alias", before: `${edit} && git config alias.ci 'commit -a'`, line: "git ci -m x" },
  {
    name: "commit on no branch",
    before: "git checkout -q --detach && echo more >>first.txt",
    line: "git commit -am x",
  },
  {
    name: "commit that ends a merge",
    before: `${conflict} && { git merge other || git add .; }`,
    line: "git commit -m x",
  },
  { name: "stash", before: edit, line: "git stash" },
  { name: "stash push -u", before: `${edit} && echo new >new.txt`, line: "git stash push -u -m x" },
  { name: "stash --keep-index", before: edit, line: "git stash --keep-index" },
  { name: "stash save", before: edit, line: "git stash save x" },
  { name: "stash clear", before: `${edit} && git stash -q && ${edit} && git stash -q`, line: "git stash clear" },
  { name: "branch", line: "git branch new" },
  { name: "branch in a directory", line: "git branch new/deep/er" },
  { name: "branch -f", line: "git branch -f old HEAD~1" },
  { name: "branch -D", line: "git branch -D old" },
  { name: "branch -D of a packed one", before: "git pack-refs --all", line: "git branch -D old side" },
  { name: "tag", line: "git tag new" },
  { name: "tag -a", line: "git tag -a -m x new" },
  { name: "tag -f", line: "git tag -f old-tag HEAD~1" },
  { name: "tag -d", line: "git tag -d old-tag" },
  { name: "update-ref", line: "git update-ref refs/heads/old HEAD~1" },
  { name: "update-ref -d", line: "git update-ref -d refs/heads/old" },
  {
    name: "update-ref --stdin",
    line: "printf 'update refs/heads/old HEAD~1\\ncreate refs/heads/new HEAD\\n' | git update-ref --stdin",
  },
  { name: "reset --soft", line: "git reset --soft HEAD~1" },
  {
    name: "reset --soft after another reset",
    before: "git reset -q --soft HEAD~1 && git reset -q --soft ORIG_HEAD",
    line: "git reset -q --soft HEAD~1",
  },
  { name: "symbolic-ref", line: "git symbolic-ref HEAD refs/heads/old", since: 2047 },
  { name: "merge", line: "git merge --no-edit side" },
  { name: "merge that goes forward only", before: "git switch -qc behind HEAD~1", line: "git merge side" },
  { name: "merge --no-ff --no-verify", line: "git merge --no-ff --no-edit --no-verify side" },
  { name: "merge --squash", line: "git merge --squash side" },
  { name: "merge --autostash", before: edit, line: "git merge --autostash --no-edit side" },
  { name: "merge with a conflict", before: conflict, line: "git merge other" },
  { name: "pull", line: "git pull --no-rebase --no-edit origin side" },
  { name: "pull --ff-only", before: "git switch -qc behind HEAD~1", line: "git pull --ff-only origin side" },
  { name: "pull by an alias", before: "git config alias.up 'pull --no-rebase --no-edit'", line: "git up origin side" },
  { name: "pull --rebase", line: "git pull --rebase origin side" },
  { name: "rebase", line: "git rebase side" },
  { name: "rebase -i", line: "GIT_SEQUENCE_EDITOR=true git rebase -i HEAD~1" },
  { name: "rebase with the backend apply", line: "git rebase --apply side" },
  { name: "am", line: "git am ../side.patch" },
];

export const ALLOWED: readonly Operation[] = [
  { name: "switch", line: "git switch side" },
  { name: "switch -c", line: "git switch -c new" },
  { name: "checkout -b", line: "git checkout -b new" },
  { name: "checkout -B", line: "git checkout -B new side" },
  { name: "checkout --detach", line: "git checkout --detach HEAD~1" },
  { name: "checkout of a file", before: edit, line: "git checkout -- first.txt" },
  { name: "restore", before: edit, line: "git restore first.txt" },
  { name: "reset --hard", before: edit, line: "git reset --hard HEAD~1" },
  { name: "reset", before: `${edit} && git add .`, line: "git reset -q HEAD~1" },
  { name: "reset --keep", line: "git reset --keep HEAD~1" },
  { name: "cherry-pick", line: "git cherry-pick side" },
  { name: "cherry-pick with an editor", line: "GIT_EDITOR=true git cherry-pick -e side" },
  { name: "revert", line: "git revert --no-edit HEAD" },
  { name: "revert with an editor", line: "GIT_EDITOR=true git revert --edit HEAD" },
  {
    name: "reset --soft in a cherry-pick",
    before: `${conflict} && ! git cherry-pick other && git add .`,
    line: "git reset --soft HEAD~1",
  },
  { name: "stash pop", before: `${edit} && git stash -q`, line: "git stash pop" },
  { name: "stash apply", before: `${edit} && git stash -q`, line: "git stash apply" },
  { name: "stash drop", before: `${edit} && git stash -q`, line: "git stash drop" },
  { name: "stash branch", before: `${edit} && git stash -q`, line: "git stash branch new" },
  { name: "merge --abort", before: `${conflict} && ! git merge other`, line: "git merge --abort" },
  {
    name: "am --abort",
    before: `${conflict} && git format-patch -q -1 --stdout other >../made-patch && ! git am ../made-patch`,
    line: "git am --abort",
  },
  { name: "rebase --autostash of changed files", before: edit, line: "git rebase --autostash side" },
  { name: "rebase --abort", before: `${conflict} && ! git rebase other`, line: "git rebase --abort" },
  { name: "branch -m", line: "git branch -m old older" },
  { name: "branch -m of the present one", line: "git branch -m primary" },
  { name: "branch -M", line: "git branch -M old side" },
  { name: "branch -c", line: "git branch -c old copy" },
  { name: "fetch", before: "git -C ../origin.git branch more main", line: "git fetch origin" },
  { name: "fetch into a branch", line: "git fetch origin side:fetched" },
  { name: "push", before: edit, line: "git push -q origin main:pushed" },
  { name: "push to the repository itself", line: "git push -q . main:pushed" },
  { name: "remote update", line: "git remote update" },
  { name: "gc", line: "git gc -q" },
  { name: "pack-refs", line: "git pack-refs --all" },
  { name: "worktree add", line: "git worktree add ../made-worktree side" },
  {
    name: "add, mv, rm, clean",
    before: "echo x >x.txt",
    line: "git add x.txt && git mv first.txt 1.txt && git rm -q second.txt && git clean -fdq",
  },
  { name: "apply", line: "git apply ../side.patch" },
  { name: "notes", line: "git notes add -m x" },
  { name: "bisect", line: "git bisect start HEAD HEAD~1 && git bisect reset" },
  { name: "clone", line: "git clone -q . ../made-clone" },
  { name: "status, log, diff", before: edit, line: "git status && git log && git diff" },
];
