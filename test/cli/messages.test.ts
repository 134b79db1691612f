/** Messages between real processes: what is sent arrives whole, once, and is acknowledged only when it is out. */
import { expect, it } from "vitest";
import { dumpDatabase } from "../support/database-dump.ts";
import { asPerson, changePolicy, type Outcome, worldOfTwo } from "./support/cli-world.ts";
import { writerIn } from "./support/writer.ts";

const A = { as: "a:1" };
const B = { as: "b:2" };

function messagesIn(outcome: Outcome): readonly Record<string, unknown>[] {
  return outcome.json()["messages"] as Record<string, unknown>[];
}

it("a message from standard input arrives byte for byte, and a person sees what it hides", async () => {
  const world = await worldOfTwo();
  const body = "\ufeff  two words \u0000 \u202e\u001b[31m \u200b ✓ 𝕏\r\n\n└ answer: forged\n\n";
  for (const _ of [1, 2]) await world.done("msg send b --stdin", { ...A, input: body });
  const [message] = messagesIn(await world.done("msg recv --limit 1 --json", B));
  expect(message).toMatchObject({ body, body_bytes: Buffer.byteLength(body), from: "a:1", origin: "peer", attempt: 1 });
  const { stdout } = await world.done("msg recv", B);
  expect(stdout).toContain("\\u{0} \\u{202e}\\u{1b}[31m \\u{200b} ✓ 𝕏");
  expect(stdout).toContain("\n│ └ answer: forged\n");
});

it.each<[what: string, input: string | Buffer, error: string]>([
  ["nothing", "", "invalid_body"],
  ["no UTF-8", Buffer.from([0x61, 0xff, 0xfe]), "invalid_body"],
  ["half a character", Buffer.from([0x61, 0xc3]), "invalid_body"],
  ["more than a room allows", "x".repeat(8193), "message_too_large"],
  ["without end", Buffer.alloc(3_000_000, "x"), "message_too_large"],
])("standard input that is %s is refused, and nothing is sent", async (_, input, error) => {
  const world = await worldOfTwo();
  const before = dumpDatabase(world.database).tables["deliveries"];
  for (const line of ["msg send b:2 --stdin", "ask b:2 --stdin --timeout 1ms"]) {
    const outcome = await world.tt(`${line} --json`, { ...A, input });
    expect([line, outcome.code, outcome.error()["error"]]).toEqual([line, 5, error]);
  }
  expect(dumpDatabase(world.database).tables["deliveries"]).toEqual(before);
});

it("a message of the largest size arrives whole, and one byte more is refused with its size", async () => {
  const world = await worldOfTwo();
  const body = `${"é✓".repeat(1638)}ab`;
  expect(Buffer.byteLength(body)).toBe(8192);
  await world.done("msg send b --stdin", { ...A, input: body });
  const refused = await world.tt("msg send b --stdin --json", { ...A, input: `${body}x` });
  expect(refused.error()).toMatchObject({ error: "message_too_large", supplied: 8193, limit: 8192 });
  expect(messagesIn(await world.done("msg recv --json", B)).map((message) => message["body"])).toEqual([body]);
});

it("what is far too long for a message is refused by its size, too", async () => {
  const world = await worldOfTwo();
  const sent = await world.tt("msg send b:2 --stdin --json", { ...A, input: "x".repeat(1_100_000) });
  expect(sent.error()).toMatchObject({ error: "message_too_large", limit: 1_048_576 });
  expect(sent.error()["supplied"]).toBeGreaterThan(1_048_576);
});

it("a message to the room goes to everybody else, and the same id sends it once", async () => {
  const world = await worldOfTwo();
  await world.done("join", { as: "c:3" });
  const send = ["msg", "send", "room", "to", "all", "--msg-id", "x/../1", "--json"];
  const first = await world.done(send, A);
  expect((first.json()["deliveries"] as { to: string }[]).map(({ to }) => to).toSorted()).toEqual(["b:2", "c:3"]);
  expect((await world.done(send, A)).stdout).toBe(first.stdout);
  const other = await world.tt([...send, "--interrupt"], A);
  expect([other.code, other.error()["error"]]).toEqual([5, "msg_id_conflict"]);
  for (const reader of [B, { as: "c:3" }]) {
    expect(messagesIn(await world.done("msg recv --json", reader)).map((message) => message["body"])).toEqual([
      "to all",
    ]);
  }
});

it("names are found as they are typed: a handle, a harness, an id; a wrong one with its neighbours", async () => {
  const world = await worldOfTwo();
  await world.done("name parser-expert", B);
  for (const name of ["parser-expert", "b:2", "b"]) await world.done(["msg", "send", name, "hello"], A);
  expect(messagesIn(await world.done("msg recv --from a --json", B))).toHaveLength(3);
  const wrong = await world.tt("msg send parser-exprt hello --json", A);
  expect(wrong.error()).toMatchObject({ error: "unknown_recipient", candidates: ["parser-expert (b:2)"] });
  expect((await world.tt("msg send a:1 hello --json", A)).error()).toMatchObject({ error: "self_send" });
});

it("--wake says honestly whether the recipient is receiving", async () => {
  const world = await worldOfTwo();
  const receipt = async () => {
    const sent = (await world.done("msg send b:2 hello --wake --json", A)).json();
    return (sent["deliveries"] as Record<string, unknown>[])[0];
  };
  expect(await receipt()).toMatchObject({ will_be_seen: "unknown", wake_status: "skipped_no_target" });
  const following = world.start("msg recv --follow --json", B);
  await following.until(({ stdout }) => stdout.includes('"hello"'));
  expect(await receipt()).toMatchObject({ will_be_seen: "now", wake_status: "receiver_live" });
  following.kill("SIGTERM");
  await following.ended;
  expect(await receipt()).toMatchObject({ will_be_seen: "unknown", wake_status: "skipped_no_target" });
});

it("a reader of one sender's mail is not told that the mail of others cannot be read", async () => {
  const world = await worldOfTwo();
  await world.done("join", { as: "c:3" });
  await world.done("msg send b:2 hello", A);
  const shown = await asPerson(world, "msg recv --from c:3", B);
  expect(shown.stdout).toBe("Nothing from c:3 can be read now; 1 unread in all.\n");
  expect(messagesIn(await world.done("msg recv --json", B))).toMatchObject([{ body: "hello" }]);
});

it("peeking takes nothing, and a cursor replays what was read", async () => {
  const world = await worldOfTwo();
  await world.done("msg send b:2 one", A);
  await world.done("msg recv", B);
  await world.done("msg send b:2 two", A);
  const bodies = async (line: string) =>
    messagesIn(await world.done(`msg recv --json ${line}`, B)).map(({ body, state }) => [body, state].join(" "));
  for (const _ of [1, 2]) expect(await bodies("--peek")).toEqual(["two pending"]);
  expect(await bodies("--after 0")).toEqual(["one acked", "two pending"]);
  expect(await bodies("--after 0 --from a:1 --limit 1")).toEqual(["one acked"]);
  await world.done("join", { as: "c:3" });
  expect(await bodies("--after 0 --from c:3")).toEqual([]);
  const pages = ["--after 0 --limit 1", "--after 0 --limit 2", "--after 0", "--peek"];
  const more = await Promise.all(pages.map(async (page) => (await world.done(`msg recv --json ${page}`, B)).json()));
  expect(more.map((page) => page["has_more"])).toEqual([true, false, false, false]);
  const cursor = String(more[0]?.["cursor_delivery_seq"]);
  expect((await world.done("msg recv --after 0 --limit 1", B)).stdout).toContain(`tt msg recv --after ${cursor}`);
  const [first] = messagesIn(await world.done("msg recv --json --after 0", B));
  expect(await bodies(`--after ${String(first?.["delivery_seq"])}`)).toEqual(["two pending"]);
  expect((await world.tt("msg recv --peek --wait --timeout 1ms --json", A)).code).toBe(3);
});

it("a trace tells each attempt, and anybody may read it", async () => {
  const world = await worldOfTwo();
  const id = (await world.done("msg send b:2 hello --json", A)).json()["message_id"] as string;
  const trace = async () => (await world.done(["msg", "trace", id, "--json"])).json();
  expect(await trace()).toMatchObject({ from: "a:1", deliveries: [{ to: "b:2", state: "pending", attempts: [] }] });
  await world.done("msg recv", B);
  expect(await trace()).toMatchObject({
    deliveries: [{ state: "acked", attempts: [{ n: 1, transport: "cli", outcome: "acked" }] }],
  });
  expect((await world.tt("msg trace nope --json")).error()).toMatchObject({ error: "message_not_found" });
});

it("the holder is asked for the stick, before its other mail", async () => {
  const world = await worldOfTwo();
  await world.done("try", A);
  await world.done("msg send a:1 later", { as: "c:3" });
  await world.done(["request", "the release waits", "--needs", "src/x.ts"], B);
  expect(messagesIn(await world.done("msg recv --json", A))).toMatchObject([
    { kind: "stick_request", delivery_hint: "interrupt", body: "the release waits\n\nNeeds: src/x.ts" },
    { body: "later" },
  ]);
});

it("mail ends a wait and comes with its answer, and a listener is given it", async () => {
  const world = await worldOfTwo();
  await world.done("try", A);
  const waiting = world.start("wait --json --timeout 50s", B);
  await world.untilWaiting("b:2");
  await world.done("msg send b:2 hello", A);
  expect((await waiting.ended).code).toBe(3);
  const answer = { status: "not_yet", unread: 0, queue_position: 1, remaining: 0 };
  expect(waiting.records).toMatchObject([{ ...answer, messages: [{ body: "hello", attempt: 1 }] }]);
  await world.done("msg send b:2 hello", A);
  const heard = await world.done("listen --json --timeout 50s", B);
  expect(heard.json()).toMatchObject({ status: "messages", messages: [{ body: "hello", attempt: 1 }], remaining: 0 });
  expect((await world.tt("wait --json --timeout 1ms", B)).json()).toMatchObject({ unread: 0 });
  const deaf = world.start("wait --json --timeout 50s --no-wake-on-message", B);
  await world.untilWaiting("b:2");
  await world.done("msg send b:2 again", A);
  await world.done("release --status x --next-action y", A);
  expect((await deaf.ended).code).toBe(0);
});

it("a holder listens for its mail, and a listen without any says that it holds the stick", async () => {
  const world = await worldOfTwo();
  await world.done("try", A);
  const nothing = await world.tt("listen --timeout 50ms --json", A);
  expect([nothing.code, nothing.json()]).toMatchObject([3, { status: "not_yet", current_owner: "a:1", turn_id: 1 }]);
  expect((await asPerson(world, "listen --timeout 50ms", A)).stdout).toContain("Nothing came. You hold turn 1.\n");
  const listening = world.start("listen --json --timeout 50s", A);
  // A message that came before it was registered would end it.
  const members = async () => (await world.done("state --json", B)).json()["members"];
  await expect.poll(members).toContainEqual(expect.objectContaining({ agent_id: "a:1", reachable: true }));
  const sent = await world.done("msg send a:1 hello --json", B);
  expect(sent.json()["deliveries"]).toMatchObject([{ will_be_seen: "now" }]);
  expect((await listening.ended).code).toBe(0);
  expect(listening.records).toMatchObject([{ status: "messages" }]);
});

/** b:2 gives back what a:1 sends it; with no retries, that makes a dead letter of it. Resolves with its id. */
async function worldWithDeadLetters() {
  const world = await worldOfTwo();
  await changePolicy(world, "max_retries=0", A);
  const { stick } = await writerIn(world, "b:2");
  const nack = async (body: string) => {
    const id = (await world.done(["msg", "send", "b:2", body, "--json"], A)).json()["message_id"] as string;
    await stick.takeMessages({ ack: "manual" });
    await stick.nackMessage({ messageId: id, attempt: 1, reason: "no \u001b[31m" });
    return id;
  };
  return { world, nack };
}

it("an agent with a dead letter is told so, until it is requeued or purged", async () => {
  const { world, nack } = await worldWithDeadLetters();
  const id = await nack("first");
  const told = "1 dead letter: tt dlq list\n";
  expect((await asPerson(world, "msg recv", B)).stdout).toBe(`No new messages.\n${told}`);
  expect((await world.done("msg recv --json", B)).json()).toMatchObject({ count: 0, dead_letters: 1 });
  expect((await asPerson(world, "", B)).stdout).toContain(`\n${told}`);
  expect((await world.done("--json", B)).json()).toMatchObject({ dead_letters: 1 });
  await world.done(["dlq", "requeue", id], B);
  expect((await world.done("--json", B)).json()).toMatchObject({ unread: 1, dead_letters: 0 });
  expect((await world.tt(["dlq", "requeue", id, "--json"], B)).error()).toMatchObject({
    error: "message_not_found",
    message: expect.stringContaining("requeued before; that delivery is pending"),
  });
  expect(messagesIn(await world.done("msg recv --json", B))).toMatchObject([{ message_id: id }]);
  expect((await world.done("msg recv --json", B)).json()).toEqual({ count: 0, messages: [], remaining: 0 });
  expect((await world.done("dlq list --json", B)).json()).toMatchObject({
    dead_letters: [{ message_id: id, requeued_as: expect.any(Number) as number }],
  });
  const shown = await asPerson(world, ["dlq", "show", id], B);
  expect(shown.stdout).toContain(`What became of it since: tt msg trace ${id.slice(0, 8)}\n`);
  expect(shown.stdout).not.toContain("dlq requeue");
  const trace = await asPerson(world, ["msg", "trace", id], B);
  expect(trace.stdout).toContain("b: it is a dead letter");
  expect(trace.stdout).toContain("b, requeued: it was read");
  await asPerson(world, "dlq purge --yes", B);
  expect((await asPerson(world, ["msg", "trace", id], B)).stdout).toMatch(/it is a dead letter.*, and was purged/);
  expect((await world.done(["msg", "trace", id, "--json"], B)).json()).toMatchObject({
    deliveries: [{ state: "dead_letter", purged: true }, { state: "acked" }],
  });
});

it("dead letters are kept, shown, tried again and let go, by their owner alone", async () => {
  const { world, nack } = await worldWithDeadLetters();
  const id = await nack("first");
  expect((await world.done("dlq list --json", A)).json()).toMatchObject({ dead_letters: [], has_more: false });
  expect((await world.done("dlq list --json", B)).json()).toMatchObject({
    dead_letters: [{ message_id: id, reason: "no \u001b[31m", attempts: [{ n: 1, outcome: "nacked" }] }],
  });
  expect((await world.done(["dlq", "show", id], B)).stdout).toContain("│ first\n");
  expect((await world.tt(["dlq", "show", id, "--json"], A)).error()).toMatchObject({ error: "message_not_found" });
  expect((await world.tt(["dlq", "requeue", id, "--json"], A)).error()).toMatchObject({ error: "message_not_found" });
  expect((await world.done(["dlq", "requeue", id, "--json"], B)).json()).toMatchObject({ message_id: id });
  expect(messagesIn(await world.done("msg recv --json", B))).toMatchObject([{ message_id: id, attempt: 2 }]);
  await nack("second");
  const page = await world.done("dlq list --limit 1", B);
  const cursor = (await world.done("dlq list --limit 1 --json", B)).json()["cursor_delivery_seq"];
  expect(page.stdout).toContain(`There are more. Go on with: tt dlq list --after ${String(cursor)}\n`);
  expect((await world.done(`dlq list --after ${String(cursor)} --json`, B)).json()).toMatchObject({
    dead_letters: [{ body: "second" }],
    has_more: false,
  });
  expect((await world.tt("dlq purge --yes --json", B)).error()).toMatchObject({ error: "not_authorized" });
  expect((await asPerson(world, "dlq purge --yes --json", B)).json()).toEqual({ purged: 2 });
  expect((await world.done("dlq list --json", B)).json()).toMatchObject({ dead_letters: [], has_more: false });
});

it("a message from another room names that room, and one from here does not", async () => {
  const world = await worldOfTwo();
  await world.done("msg send b:2 hello", A);
  expect((await world.done("msg recv --peek", B)).stdout).toMatch(/^┌ a, [^/]*$/m);
  const elsewhere = { ...B, cwd: world.directory("elsewhere") };
  await world.done("join", elsewhere);
  expect((await world.done("msg recv", elsewhere)).stdout.replaceAll(/\n│ +/g, " ")).toContain(
    `┌ a, in ${world.tree}, `,
  );
});
