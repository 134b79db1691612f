/** A story that runs every command of the command line, most of them so that they succeed. */
import { type StoryWorld, untilReceiving, untilWaiting } from "./story-world.ts";
import { Teller, type Told } from "./told.ts";

export interface Answer {
  readonly code: number;
  readonly json: Readonly<Record<string, unknown>>;
}

const HANDOFF = ["--status", "the parser is done", "--next-action", "write its tests"];
const PERSON = "a person";

/** Which commands were run, and what they said. */
export interface CliTale {
  readonly told: readonly Told[];
  readonly lines: readonly (readonly string[])[];
}

export async function cliStory(world: StoryWorld): Promise<CliTale> {
  const teller = new Teller(world.root);
  const lines: (readonly string[])[] = [];

  const run = async (who: string, words: readonly string[], input = ""): Promise<Answer> => {
    lines.push(words);
    const tell = teller.begin(`${who}: tt ${words.join(" ")}`);
    const isTty = who === PERSON;
    const env = { HOME: world.root, TT_WAKE: "off", ...(isTty ? {} : { TT_AGENT_ID: who }) };
    const { code, stdout, stderr } = await world.commands.run([...words, "--json"], { env, input, isTty });
    const answers = [...`${stdout}${stderr}`.matchAll(/[^\n]+/g)].map(([line]) => parsed(line));
    tell({ code, answers: answers.map(withoutServer) });
    return { code: code ?? -1, json: (answers.at(-1) ?? {}) as Answer["json"] };
  };
  const a = (line: string, ...rest: string[]) => run("a:1", [...wordsOf(line), ...rest]);
  const b = (line: string, ...rest: string[]) => run("b:2", [...wordsOf(line), ...rest]);
  const person = (line: string, ...rest: string[]) => run(PERSON, [...wordsOf(line), ...rest]);

  await setUp(a, person);
  await stickMoves(world, a, b, person);
  await mailMoves(world, a, b, person, run);
  await lookAround(a, b);
  await theEnd(a, b, person);
  return { told: teller.all(), lines };
}

type Run = (line: string, ...rest: string[]) => Promise<Answer>;

async function setUp(a: Run, person: Run): Promise<void> {
  await a("state");
  await a("");
  await a("list");
  await person("init --print");
  await person("install --print");
  await person("uninstall --print");
  await person("prompt init bash");
  await person("notify test");
  await a("whoami");
  await a("join");
  await a("status --prompt");
}

async function stickMoves(world: StoryWorld, a: Run, b: Run, person: Run): Promise<void> {
  await b("join");
  await a("try");
  await a("heartbeat");
  await b("try");
  await b("release", ...HANDOFF);
  await b("request", "a hotfix waits", "--needs", "src/parser.ts");
  await a("listen --timeout 20s");
  const bWaits = b("wait --timeout 20s");
  await untilWaiting(world, "b:2");
  await a("pass b:2", ...HANDOFF);
  await bWaits;
  const aWaits = a("wait --timeout 20s");
  await untilWaiting(world, "a:1");
  await b("assign a:1", ...HANDOFF, "--artifact", "src/a.ts:1-20:review", "--question", "which one?");
  await aWaits;
  await a("release", ...HANDOFF, "--do-not", "touch the schema");
  await a("policy");
  await a("policy message_ttl_ms=120000");
  await a("guard");
  await a("guard strict --no-git");
  await person("guard deny --no-git");
  await person("take --reason why");
}

async function mailMoves(world: StoryWorld, a: Run, b: Run, person: Run, run: RunAs): Promise<void> {
  const sent = await a("msg send b:2", "the parser is yours");
  await a("msg send b:2 --msg-id once", "only once");
  await a("msg send b:2 --msg-id once", "only once");
  await a("msg send b:2 --msg-id once", "another text");
  await a("msg send room --interrupt", "everybody: 𝕏 \u0000 \u001b[31m");
  await run("a:1", ["msg", "send", "b:2", "--stdin"], "from\nstandard input");
  await b("msg recv --peek");
  await b("msg recv --limit 2");
  await b("msg recv --wait --timeout 5s");
  await b("msg recv --after 0");
  await b("msg recv --from a:1");
  const id = idOf(sent, "message_id");
  await a(`msg trace ${id}`);
  await b(`reply ${id}`, "thank you");
  await a("msg recv");
  // The ask tells whether its recipient receives, so that one is waited for.
  const hearing = b("msg recv --wait --timeout 20s");
  await untilReceiving(world, "b:2");
  const asking = a("ask b:2 --timeout 20s", "which port?");
  const question = await hearing;
  await b(`reply ${idOf(question, "message_id")}`, "8080");
  await asking;
  await a("ask b:2 --timeout 1s", "nobody answers this");
  await b("msg recv");
  await b("reply", "too late, and without an id");
  await mailboxProtocol(a);
  await deadLetters(a, b, person);
}

type RunAs = (who: string, words: readonly string[], input?: string) => Promise<Answer>;

async function mailboxProtocol(a: Run): Promise<void> {
  await a("mailbox enqueue --from boss --to worker --msg-id boss:1", "run the tests");
  await a("mailbox enqueue --from boss --to worker --msg-id boss:1", "run the tests");
  await a("mailbox enqueue --from boss --to worker --msg-id boss:2", "and again");
  await a("mailbox peek worker");
  await a("mailbox dequeue worker");
  await a("mailbox ack worker boss:1 --attempt 0");
  await a("mailbox ack worker boss:1 --attempt 0");
  await a("mailbox dequeue worker");
  await a("mailbox nack worker boss:2 --reason busy");
  await a("mailbox purge worker --yes");
  await a("mailbox peek worker --dead-letters");
}

/** A policy without retries makes a dead letter of what is given back once. */
async function deadLetters(a: Run, b: Run, person: Run): Promise<void> {
  await a("policy max_retries=0");
  for (const msgId of ["boss:first", "boss:second"]) {
    await a(`mailbox enqueue --from boss --to b:2 --msg-id ${msgId}`, "nobody wants this");
    await b("mailbox dequeue b:2");
    await b(`mailbox nack b:2 ${msgId} --reason unreadable`);
  }
  const list = await b("dlq list");
  const [letter] = list.json["dead_letters"] as readonly Record<string, unknown>[];
  const id = String(letter?.["message_id"]);
  await b(`dlq show ${id}`);
  await b(`dlq requeue ${id}`);
  await b("msg recv");
  await b("dlq purge --yes");
  await b("dlq list");
  await person("dlq purge --yes");
}

async function lookAround(a: Run, b: Run): Promise<void> {
  await a("card", "parse dates", "--file", "src/dates.ts", "--blocked-on", "review");
  await a("name parser");
  await b("notes add", "fixture 7 is wrong on purpose");
  const note = await b("notes add", "and so is this");
  await a("notes list --open");
  await a(`notes resolve ${idOf(note, "note_id")}`);
  await a("notes list --limit 1");
  await a("peers --all");
  await a("peers --compact");
  await a("read b:2");
  await a("claim s-1");
  await a("whoami --explain");
  await a("events --after 0 --limit 5");
  await a("events --event note_added,claim --target any");
  await a("events --wait --after 0 --timeout 5s --target any");
  await a("log --since 1h --by b --turn 1");
  await a("log --limit 3");
  await a("turns");
  await a("turn show 1");
  await a("turn diff 1");
  await a("turn restore 1 -- src/dates.ts");
  await a("state");
  await a("list --all");
  await a("status");
  await a("doctor");
  await a("export");
}

async function theEnd(a: Run, b: Run, person: Run): Promise<void> {
  await person("pause --reason lunch");
  await b("try");
  await person("give b:2 --reason first");
  await b("give a:1");
  await a("why");
  await person("resume");
  await b("try");
  await a("take", "--reason", "it is alive");
  await person("take --operator-requested", "--reason", "I mean it");
  await person("release", ...HANDOFF);
  await person("kick b:2 --force --reason over");
  await b("join");
  await b("leave");
  await person("close --operator-requested");
  await a("try");
  await a("join");
  await a("leave");
  await person("leave");
  await person("prune --idle 0s");
  await person("prune --idle 0s --yes");
  await person("prune --idle 0s --yes");
  await person("state");
  await person("export");
  await b("list");
}

function wordsOf(line: string): readonly string[] {
  return line === "" ? [] : line.split(" ");
}

function idOf({ json }: Answer, field: string): string {
  const messages = json["messages"] as readonly Record<string, unknown>[] | undefined;
  const id = json[field] ?? messages?.[0]?.[field];
  if (typeof id !== "string") throw new Error(`there is no ${field} in ${JSON.stringify(json)}`);
  return id;
}

/** What doctor found, without what only a store on a server has. */
function withoutServer(answer: unknown): unknown {
  const { findings } = (answer ?? {}) as { findings?: readonly { name: string; level: string }[] };
  if (findings === undefined) return answer;
  const rest = findings.filter(({ name }) => name !== "server");
  return { findings: rest, ok: rest.every(({ level }) => level === "ok") };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
