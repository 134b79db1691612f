/** What people read, word for word: test/cli/golden holds it, `vitest -u` writes it again, and the diff is reviewed. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeRepository } from "../support/git-repository.ts";
import { CliWorld, changePolicy } from "./support/cli-world.ts";
import { Transcript } from "./support/transcript.ts";

const A = { as: "a:1" };
const B = { as: "b:2" };

const HANDOFF = [
  "--status=the parser reads every fixture, with the exception of the three that are broken on purpose",
  "--next-action=write the tests for it",
  "--artifact=src/parser.ts:1-40:review",
  "--question=is fixture 7 right?",
  "--do-not=rename parse(): the docs point at it",
];

function golden(name: string): string {
  return join(import.meta.dirname, "golden", `${name}.txt`);
}

it("help, of everything", async () => {
  const shown = new Transcript(new CliWorld());
  await shown.type("--help");
  const commands =
    "demo wait try release pass assign take request heartbeat listen msg ask reply dlq mailbox list join leave state why " +
    "kick close policy log events notes peers read card whoami name claim install uninstall init status prompt doctor export prune mcp " +
    "guard ro check turns turn ui";
  for (const command of commands.split(" ")) await shown.type(`${command} --help`);
  await expect(shown.text).toMatchFileSnapshot(golden("help"));
});

it("the first steps of a newcomer", async () => {
  const shown = new Transcript(new CliWorld());
  await shown.type("");
  await shown.typeAsPerson("");
  await shown.type("state");
  await shown.type("list");
  await shown.type("whoami");
  await shown.type("join");
  await shown.typeAsPerson("whoami");
  await shown.typeAsPerson("join");
  await shown.typeAsPerson("");
  await shown.type("join", A);
  await shown.type("", A);
  await shown.type("whoami --explain", A);
  await shown.type("state", A);
  await shown.type("list", A);
  await shown.type("policy", A);
  await shown.type("policy max_retries=4 lease_ttl_ms=600000", A);
  await shown.typeAsPerson("policy max_retries=4 lease_ttl_ms=600000");
  await shown.type("name parser-expert", A);
  await shown.type("init --print", A);
  await shown.type("prompt init bash");
  await shown.type("leave", A);
  await expect(shown.text).toMatchFileSnapshot(golden("first-steps"));
});

it("a stick on its way", async () => {
  const world = new CliWorld();
  makeRepository(world.tree);
  const shown = new Transcript(world);
  // Whether a snapshot is there depends on how fast the machine is.
  await shown.type("try", { ...A, env: { TT_RECORD: "off" } });
  await shown.type("", A);
  await shown.type("status --prompt", A);
  await shown.type("", B);
  await shown.type("try", B);
  await shown.type("wait --timeout 1ms", B);
  await shown.type("state", B);
  await shown.type("", B);
  await shown.type("why", A);
  await shown.type("why", B);
  await shown.typeAsPerson("why");
  await shown.type("release", A);
  await shown.type(["release", ...HANDOFF], A);
  await shown.type("release --status x --next-action y", A);
  await shown.type("", A);
  await shown.type("", B);
  await shown.type("try", { as: "c:3" });
  await shown.type("wait", B);
  await shown.type("heartbeat", B);
  await shown.type("listen --timeout 1ms", A);
  await shown.type(["pass", "d", "--status", "x", "--next-action", "y"], B);
  await shown.type(["pass", "a", "--status", "tests written", "--next-action", "read them"], B);
  await shown.type("list", A);
  await shown.type("events");
  await expect(shown.text).toMatchFileSnapshot(golden("stick"));
});

it("a holder that is gone", async () => {
  const world = new CliWorld();
  const shown = new Transcript(world);
  await world.done("try", { ...A, env: { TT_LEASE_TTL_MS: "6000" } });
  // The place in the queue is taken while the lease still runs.
  await world.tt("wait --timeout 10ms", B);
  await world.tt("wait --timeout 60s", B);
  // From now on no lease may expire before its holder's next line.
  await changePolicy(world, "lease_ttl_ms=600000", B);
  await shown.type("", B);
  await shown.type("why", B);
  await shown.type("doctor", B);
  await shown.type("wait", B);
  await shown.type("take", B);
  await shown.type(["take", "--reason", "it sleeps"], B);
  await shown.type("kick a:1", B);
  await shown.type("release --status x --next-action y", A);
  await shown.typeAsPerson("close --json");
  await shown.typeAsPerson("close --yes");
  await shown.type("wait", B);
  await shown.type("", B);
  await shown.type("join", B);
  await shown.type("events --after 2");
  await expect(shown.text).toMatchFileSnapshot(golden("gone"));
});

it("messages", async () => {
  const world = new CliWorld();
  const shown = new Transcript(world);
  await world.done("try", A);
  await world.done("join", B);
  await shown.type("msg recv", B);
  await shown.type(["msg", "send", "b", `the parser reads every fixture, ${"and that is so ".repeat(8)}`], A);
  const hostile = "stop: \u001b[31mred\u001b[0m \u202e";
  await shown.type("msg send b --stdin --interrupt --wake", { ...A, input: hostile });
  await shown.type("", B);
  await shown.type("wait --timeout 1ms --no-wake-on-message", B);
  await shown.type("msg recv --peek --limit 1", B);
  await shown.type("msg recv", B);
  await shown.type(["ask", "b", "which port?", "--timeout", "1ms"], A);
  const asked = await world.done("msg recv --json", B);
  const [question] = asked.json()["messages"] as { message_id: string }[];
  const id = question?.message_id as string;
  await shown.type(["reply", id, "8080,\n\n    for now"], B);
  await shown.type("", A);
  await shown.type("msg recv", A);
  await shown.type(["msg", "trace", id], A);
  await shown.type(["msg", "send", "room", "lunch"], A);
  await shown.type(["request", "the release waits for my fix", "--needs", "src/parser.ts"], B);
  await shown.type("listen --timeout 50s", A);
  await shown.type("wait --timeout 50s", B);
  await shown.type("dlq list", B);
  await shown.type("dlq purge --yes", B);
  await shown.type("events --event message_sent");
  await shown.type("msg send c hello", A);
  await expect(shown.text).toMatchFileSnapshot(golden("messages"));
});

it("notes", async () => {
  const world = new CliWorld();
  const shown = new Transcript(world);
  await world.done("join", A);
  await shown.type("notes", A);
  const body = `fixture 7 is wrong on purpose, ${"and that is so ".repeat(8)}\n\n    indented();\n`;
  await shown.type(["notes", "add", body], A);
  const note = await world.done("notes add --turn 0 second --json", B);
  await shown.type("", A);
  await shown.type("notes", A);
  await shown.type(["notes", "resolve", note.json()["note_id"] as string], A);
  await shown.type("notes list --open", A);
  await shown.type("notes", A);
  await shown.type("notes list --limit 1", A);
  await shown.type(["notes", "list", "--limit", "1", "--before", note.json()["note_id"] as string], A);
  await shown.type("events --event note_added,note_resolved");
  await expect(shown.text).toMatchFileSnapshot(golden("notes"));
});

it("lines that are wrong", async () => {
  const world = new CliWorld();
  const shown = new Transcript(world);
  await world.done("join", A);
  for (const line of [
    "relaese",
    "send",
    "ack",
    "install-hook",
    "wait --timeout 3",
    "wait --timeuot 3s",
    "kick",
    "events --event frob",
  ]) {
    await shown.type(line);
  }
  await shown.type("events --after 99");
  await shown.type("state /nowhere");
  await shown.type("prune --room nope");
  await shown.type(["release", "--status", "x", "--next-action", "y", "--artifact", "a:9-3"], A);
  await expect(shown.text).toMatchFileSnapshot(golden("wrong-lines"));
});
