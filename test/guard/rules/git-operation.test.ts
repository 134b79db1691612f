import { describe, expect, it } from "vitest";
import type { ProcessSight } from "../../../src/core/harness.ts";
import { gitCommandsAbove } from "../../../src/guard/rules/git-command.ts";
import { changedRefs, type GitStep, isRefusable, refUpdatesIn } from "../../../src/guard/rules/git-operation.ts";

const [ZERO, ONE, TWO] = ["0".repeat(40), "1".repeat(40), "2".repeat(40)];

/** Lines of processes, the nearest first. */
function processes(lines: readonly string[]): readonly ProcessSight[] {
  return lines.map((line, index) => {
    const argv = line.split(" ");
    const ref = { host: "local", pid: 100 - index, startTicks: "1", bootId: "b", pidNamespace: null };
    return { ref, name: argv[0] ?? "", executable: null, argv } as unknown as ProcessSight;
  });
}

/** `refs`: `name` for a change, `-name` for a removal, `=name` for no change. */
function stepOf(
  lines: readonly string[],
  refs: readonly string[],
  state: "prepared" | "committed" = "prepared",
): GitStep {
  const text = refs.map((ref) => {
    if (ref.startsWith("-")) return `${ZERO} ${ZERO} ${ref.slice(1)}`;
    return ref.startsWith("=") ? `${ONE} ${ONE} ${ref.slice(1)}` : `${ONE} ${TWO} ${ref}`;
  });
  const updates = refUpdatesIn(`${text.join("\n")}\n`);
  const call = { hook: "reference-transaction", state, updates, isCut: false } as const;
  return { call, commands: gitCommandsAbove(processes(["/bin/sh .git/hooks/x", ...lines, "-bash"])), isMidway: false };
}

const main = ["HEAD", "refs/heads/main"];

describe("an operation is refused where git has changed nothing yet", () => {
  it.each<[string, readonly string[]]>([
    ["git commit -m x", main],
    ["git commit --amend --no-verify", ["refs/heads/main"]],
    ["/usr/lib/git-core/git -C sub -c a.b=c --git-dir=.git commit", ["HEAD"]],
    ["git stash", ["refs/stash"]],
    ["git stash -q", ["refs/stash"]],
    ["git stash push -u", ["refs/stash"]],
    ["git stash clear", ["-refs/stash"]],
    ["git branch x", ["refs/heads/x"]],
    ["git branch -D x", ["-refs/heads/x"]],
    ["git tag x", ["refs/tags/x"]],
    ["git update-ref refs/x HEAD", ["refs/x"]],
    ["git symbolic-ref HEAD refs/heads/x", ["HEAD"]],
    ["git reset --soft HEAD~1", ["ORIG_HEAD"]],
    ["git reset --soft HEAD~1", main],
    ["git merge x", ["ORIG_HEAD"]],
    ["git am x", ["ORIG_HEAD"]],
  ])("%s at %j", (line, refs) => {
    expect(isRefusable(stepOf([line], refs))).toBe(true);
    expect(isRefusable(stepOf([line], refs, "committed"))).toBe(false);
  });
});

describe("an operation is let through where a refusal would leave something half done", () => {
  it.each<[string, readonly string[]]>([
    ["git commit -m x", ["-AUTO_MERGE"]],
    ["git commit -m x", []],
    ["git merge x", main],
    ["git merge x", ["-AUTO_MERGE"]],
    ["git am x", ["-REBASE_HEAD"]],
    ["git am x", main],
    ["git rebase x", ["ORIG_HEAD"]],
    ["git rebase x", ["refs/heads/main"]],
    ["git branch -m a b", ["-refs/heads/a"]],
    ["git branch --move a b", ["-refs/heads/a"]],
    ["git branch -fm a b", ["-refs/heads/a"]],
    ["git branch x", ["HEAD"]],
    ["git stash pop", ["-refs/stash"]],
    ["git stash drop", ["-refs/stash"]],
    ["git stash branch x", ["-refs/stash"]],
    ["git stash store x", ["refs/stash"]],
    ["git reset --hard", ["ORIG_HEAD"]],
    ["git reset HEAD~1", main],
    ["git checkout -b x", ["refs/heads/x"]],
    ["git switch x", ["HEAD"]],
    ["git cherry-pick x", main],
    ["git revert x", main],
    ["git fetch", ["refs/remotes/origin/main"]],
    ["git fetch . a:b", ["refs/heads/b"]],
    ["git-receive-pack .", main],
    ["git gc", main],
    ["git pack-refs --all", main],
    ["git worktree add x", ["HEAD"]],
    ["git --some-new-option commit", main],
    ["git", main],
    ["node commit", main],
  ])("%s at %j", (line, refs) => {
    expect(isRefusable(stepOf([line], refs))).toBe(false);
  });
});

describe("what another command of git has started", () => {
  it.each<[readonly string[], readonly string[], boolean]>([
    [["git merge FETCH_HEAD", "git pull"], ["ORIG_HEAD"], true],
    [["git merge FETCH_HEAD", "git pull", "git up"], ["ORIG_HEAD"], true],
    [["git commit -a", "git ci -a"], main, true],
    [["git commit -e", "git revert HEAD"], main, false],
    [["git commit -e", "git cherry-pick x"], main, false],
    [["git commit", "sh -c x", "git rebase -x x"], main, false],
    [["git commit", "git ci", "git rebase -x x"], main, false],
    [["git stash", "sh .git/hooks/pre-commit", "git commit"], ["refs/stash"], false],
    [["git update-ref x", "git-lfs migrate", "git lfs migrate"], ["refs/heads/main"], false],
    [["git update-ref x", "sh git-foo", "git foo"], ["refs/heads/main"], false],
    [["git reset --hard", "git stash push"], ["ORIG_HEAD"], false],
    [["git commit", "git pull"], main, false],
  ])("%j at %j: %s", (lines, refs, expected) => {
    expect(isRefusable(stepOf(lines, refs))).toBe(expected);
  });
});

it("a rebase is refused before it begins, unless git has put changed files aside", () => {
  const commands = gitCommandsAbove(processes(["git rebase side"]));
  expect(isRefusable({ call: { hook: "pre-rebase" }, commands, isMidway: false })).toBe(true);
  expect(isRefusable({ call: { hook: "pre-rebase" }, commands, isMidway: true })).toBe(false);
});

it("a soft reset in the middle of a cherry-pick is let through, because git forgets the cherry-pick anyway", () => {
  expect(isRefusable({ ...stepOf(["git reset --soft HEAD~1"], main), isMidway: true })).toBe(false);
});

it("a merge that is under way is let through, because git has changed files by the time that it gives it up", () => {
  expect(isRefusable({ ...stepOf(["git merge --abort"], ["ORIG_HEAD"]), isMidway: true })).toBe(false);
});

it("nothing is refused if there were more refs than were read", () => {
  const step = stepOf(["git update-ref --stdin"], ["refs/heads/a"]);
  expect(isRefusable({ ...step, call: { ...step.call, isCut: true } as GitStep["call"] })).toBe(false);
});

describe("the refs that an agent has changed", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["git commit", main, ["HEAD", "refs/heads/main"]],
    ["git branch -D x", ["-refs/heads/x"], ["refs/heads/x"]],
    ["git reset --hard", ["=HEAD", "=refs/heads/main"], []],
    ["git reset --hard", ["ORIG_HEAD"], []],
    ["git rebase x", ["HEAD"], []],
    ["git rebase x", ["refs/heads/main"], ["refs/heads/main"]],
    ["git fetch", ["refs/remotes/origin/main"], []],
    ["git fetch . a:b", ["refs/heads/b"], []],
    ["git pack-refs", main, []],
    ["git-receive-pack .", main, []],
    ["git unknown", ["refs/heads/x"], ["refs/heads/x"]],
  ])("%s at %j: %j", (line, refs, expected) => {
    expect(changedRefs(stepOf([line], refs, "committed"))).toEqual(expected);
    expect(changedRefs(stepOf([line], refs, "prepared"))).toEqual([]);
  });
});
