/** tt export --html: what the person is told and asked, what is written, and what is refused. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import type { Recording } from "../../src/surfaces/wire/recording.ts";
import { makeRepository } from "../support/git-repository.ts";
import { canMount, skipUnless } from "../support/privileges.ts";
import { asPerson, CliWorld, type Outcome } from "./support/cli-world.ts";

const CLAUDE = { as: "claude:1" };
const CODEX = { as: "codex:1" };
const HANDOFF = ["--status", "The parser is done.", "--next-action", "Write the tests."];
const SECRET_CODE = "export const theCode = 42;";
/** A busy machine must not skip a record of a turn. */
const PATIENT = { TT_SNAPSHOT_MAX_MS: "60000" };

const NO_SPANS: readonly (readonly [words: readonly string[], code: number, told: string])[] = [
  [["--since", "banana"], 2, "neither an age nor a time"],
  [["--since", "2026-11-18"], 2, "neither an age nor a time"],
  [["--until", "2999-01-01T00:00:00Z"], 2, "--until is in the future"],
  [["--since", "1h", "--until", "2h"], 2, "--since is not before --until"],
  [["--since", "0"], 2, "--since is not in the past"],
  [["--until", "9d"], 5, "Nothing happened in that time"],
];

class RecordedWorld extends CliWorld {
  readonly place = this.directory("recordings");
  readonly file = join(this.place, "room.html");

  /** A turn with a change, a message, a note, and a second turn that goes on. */
  async play(): Promise<this> {
    makeRepository(this.tree);
    await this.done("join", CODEX);
    await this.done("try", { ...CLAUDE, env: PATIENT });
    writeFileSync(join(this.tree, "parser.ts"), `${SECRET_CODE}\n`);
    await this.done(["release", ...HANDOFF], { ...CLAUDE, env: PATIENT });
    await this.done(["msg", "send", "codex", "The parser is yours."], CLAUDE);
    await this.done(["notes", "add", "fixture 7 is wrong on purpose"], CLAUDE);
    await this.done("try", { ...CODEX, env: PATIENT });
    return this;
  }

  export(...more: readonly string[]): Promise<Outcome> {
    return this.tt(["export", "--html", this.file, ...more]);
  }

  get left(): readonly string[] {
    return readdirSync(this.place);
  }
}

function recordingIn(file: string): Recording {
  const [, data = ""] = /id="recording">([^<]*)</.exec(readFileSync(file, "utf8")) ?? [];
  return JSON.parse(gunzipSync(Buffer.from(data, "base64")).toString("utf8")) as Recording;
}

function typesIn({ events }: Recording): readonly string[] {
  return events.map(({ type }) => type);
}

describe("given a room in which agents work", () => {
  let world: RecordedWorld;
  beforeEach(async () => {
    world = await new RecordedWorld().play();
  });

  it("when it is exported, then the file has its log, says so first, and has no lease", async () => {
    const { code, stdout, stderr } = await world.export("--yes");
    expect([code, stdout]).toEqual([0, `Written: ${world.file}\n`]);
    expect(stderr).toMatch(/events; the texts of 1\s+message and 1\s+note; 2\s+turns with handoffs/);
    expect(stderr).toMatch(/no code/);
    const recording = recordingIn(world.file);
    const told = JSON.stringify(recording);
    expect(typesIn(recording)).toEqual(expect.arrayContaining(["claim", "release", "message_sent", "note_added"]));
    for (const text of ["The parser is done.", "The parser is yours.", "fixture 7 is wrong on purpose", "parser.ts"])
      expect(told).toContain(text);
    expect(told).not.toContain("theCode");
    expect(world.leases.length).toBeGreaterThan(0);
    for (const lease of world.leases) {
      expect(told).not.toContain(lease);
      expect(readFileSync(world.file, "utf8")).not.toContain(lease);
    }
    expect(world.left).toEqual(["room.html"]);
  });

  it("when the code is wanted, too, then it is in the file, and the command says so first", async () => {
    const { stderr } = await world.export("--diffs", "--yes");
    expect(stderr).toMatch(/the code that \d\s+turns?\s+changed/);
    expect(JSON.stringify(recordingIn(world.file))).toContain(SECRET_CODE);
  });

  it("when a program exports it, then it gets the counts as JSON, and no words", async () => {
    const exported = await world.export("--json", "--yes");
    expect([exported.code, exported.stderr]).toEqual([0, ""]);
    const { events } = recordingIn(world.file);
    expect(exported.json()).toMatchObject({
      path: world.file,
      events: events.length,
      messages: 1,
      notes: 1,
      turns: 2,
      diffs: 0,
    });
  });

  it("when nobody can be asked, then nothing is written without --yes", async () => {
    for (const more of [[], ["--json"]]) {
      const { code, stderr } = await world.export(...more);
      expect([code, stderr]).toEqual([2, expect.stringContaining("Add --yes if you mean it.")]);
    }
    expect(world.left).toEqual([]);
  });

  it("when the person says no, then nothing is written; with yes the file is", async () => {
    const words = ["export", "--html", world.file];
    const no = await asPerson(world, words, { input: "n\n" });
    expect([no.code, no.stdout]).toEqual([0, expect.stringContaining("Nothing was written.")]);
    expect(world.left).toEqual([]);
    const yes = await asPerson(world, words, { input: "y\n" });
    expect([yes.code, yes.stdout]).toEqual([0, expect.stringContaining(`Written: ${world.file}`)]);
    expect(world.left).toEqual(["room.html"]);
  });

  it("when the file is there, then it stays as it is without --force", async () => {
    writeFileSync(world.file, "mine");
    const { code, stderr } = await world.export("--yes");
    expect([code, stderr]).toEqual([5, expect.stringContaining("add --force to replace it")]);
    expect(readFileSync(world.file, "utf8")).toBe("mine");
    expect((await world.export("--yes", "--force")).code).toBe(0);
    expect(readFileSync(world.file, "utf8")).toContain("<!doctype html>");
    expect(world.left).toEqual(["room.html"]);
  });

  it("when a span is wanted, then only its events are in the file; the forms are an age and a time", async () => {
    await world.export("--yes");
    const whole = recordingIn(world.file);
    const [from, to] = [whole.events[3]?.createdAt ?? "", whole.events.at(-2)?.createdAt ?? ""];
    const { code, stderr } = await world.export("--yes", "--force", "--since", from, "--until", to);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining("deleted")]);
    const part = recordingIn(world.file);
    expect(part.events).toEqual(whole.events.filter(({ createdAt }) => createdAt >= from && createdAt <= to));
    expect([part.from, part.to, part.end]).toEqual([from, to, null]);
    expect((await world.export("--yes", "--force", "--since", "2h")).code).toBe(0);
    expect(recordingIn(world.file).events).toEqual(whole.events);
  });

  it("when the span is none, then it is refused with the reason", async () => {
    for (const [words, code, told] of NO_SPANS) {
      const refused = await world.export("--yes", ...words);
      expect([refused.code, refused.stderr.replaceAll(/\s+/g, " ")]).toEqual([code, expect.stringContaining(told)]);
    }
    expect(world.left).toEqual([]);
  });

  it("when the room is closed, then it can be exported", async () => {
    const closed = await asPerson(world, "close --operator-requested --yes");
    expect([closed.code, closed.stdout]).toEqual([0, expect.stringContaining("closed")]);
    expect((await world.export("--yes")).code).toBe(0);
    expect(typesIn(recordingIn(world.file)).at(-1)).toBe("close");
  });

  it("when its history was deleted, then what is left is exported, and the command says that older events are gone", async () => {
    await asPerson(world, "close --operator-requested --yes");
    await world.until("prune --idle 1s --yes --json", ({ stdout }) => stdout.includes('"pruned":true'));
    await world.done("join", CLAUDE);
    const { code, stderr } = await world.export("--yes");
    expect([code, stderr]).toEqual([0, expect.stringContaining("Older events were deleted by tt prune.")]);
    const { start, events } = recordingIn(world.file);
    expect([start.state.lastSeq, typesIn({ events } as Recording)]).toEqual([
      (events[0]?.seq ?? 0) - 1,
      expect.arrayContaining(["reopen"]),
    ]);
    expect(start.state.turnId).toBe(2);
    const fromLongAgo = await world.export("--yes", "--force", "--since", "90d");
    expect(fromLongAgo.stderr).toContain("Older events were deleted by tt prune.");
  });

  it("when it is interrupted, then there is no half of a file", async () => {
    const running = world.startProgram(
      "script",
      ["-qfec", `exec '${process.execPath}' '${world.program}' export --html '${world.file}'`, "/dev/null"],
      { who: "a person", env: { TERM: "xterm-256color" }, input: null },
    );
    await running.until(({ stdout }) => stdout.includes("[y/N]"));
    running.child.stdin?.write("\u0003");
    expect((await running.ended).stdout).toContain("Nothing was written.");
    expect(world.left).toEqual([]);
  });

  it.skipIf(skipUnless(canMount, "the right to mount"))(
    "when the disk is full, then it says so, and leaves no half of a file",
    async () => {
      const line = 'mount -t tmpfs -o size=64k none "$0" && { "$@"; code=$?; ls -A "$0"; exit $code; }';
      const through = ["unshare", "-m", "sh", "-c", line, world.place];
      const { code, stdout, stderr } = await world.tt(["export", "--html", world.file, "--yes"], { through });
      const told = stderr.replaceAll(/\s+/g, " ");
      expect([code, stdout, told]).toEqual([5, "", expect.stringContaining("could not be written: the disk is full.")]);
    },
  );
});

it("given a name that no file can have, when a room is exported, then it is refused before the room is read", async () => {
  const world = new RecordedWorld();
  await world.done("join", CLAUDE);
  const pipe = join(world.place, "pipe");
  execFileSync("mkfifo", [pipe]);
  for (const [name, code, told] of [
    [world.place, 5, "is a directory"],
    [join(world.place, "none", "x.html"), 5, "There is no directory"],
    [pipe, 5, "is not a regular file"],
    ["", 2, "needs the name of a file"],
    ["-", 2, "needs the name of a file"],
    ["--diffs", 2, "needs the name of a file"],
  ] as const) {
    const refused = await world.tt(["export", "--html", name, "--yes"]);
    expect([name, refused.code, refused.stderr.replaceAll(/\s+/g, " ")]).toEqual([
      name,
      code,
      expect.stringContaining(told),
    ]);
    // What would be in the file was not even told.
    expect(refused.stderr).not.toContain("the texts of");
  }
  expect(existsSync(join(world.tree, "--diffs"))).toBe(false);
});

it("given flags of a page without --html, when a room is exported, then each is refused by its name", async () => {
  const world = new CliWorld();
  await world.done("join", CLAUDE);
  for (const flag of ["--diffs", "--since 1h", "--until 1h", "--force", "--yes"]) {
    const { code, stderr } = await world.tt(`export ${flag}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${flag.split(" ")[0]} has no effect without --html.`)]);
  }
});

it("given no room, when it is exported, then nothing is written", async () => {
  const world = new RecordedWorld();
  const { code, stderr } = await world.export("--yes");
  expect([code, stderr]).toEqual([5, expect.stringContaining("There is no room")]);
  expect(world.left).toEqual([]);
});

it("the help of tt export has an example of a page", async () => {
  const { stdout } = await new CliWorld().done("export --help");
  expect(stdout).toMatch(/^Example: tt export --html \S+/m);
});
