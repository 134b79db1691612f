/** The server inside Claude Code wakes the session that started it, through the inbox that its environment names. */
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { McpWorld } from "./support/mcp-world.ts";

const SESSION = "c8533aa6-8e82-4f35-8100-fa4f9adb9d85";

interface Inbox {
  readonly env: Readonly<Record<string, string>>;
  /** One for each push, as it came. */
  readonly pushes: readonly string[];
  /** What the session does as soon as it was woken. */
  onPush: () => unknown;
  close(): Promise<void>;
}

async function openInbox(world: McpWorld): Promise<Inbox> {
  const path = join(world.root, "inbox.sock");
  const inbox = { onPush: () => undefined } as unknown as Inbox;
  const pushes: string[] = [];
  const server = createServer((client: Socket) => {
    let said = "";
    client.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    client.once("end", () => {
      pushes.push(said);
      inbox.onPush();
    });
  });
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
    });
  onTestFinished(() => void server.close());
  await new Promise<void>((listening) => {
    server.listen(path, listening);
  });
  const env = {
    CLAUDECODE: "1",
    CLAUDE_CODE_SESSION_ID: SESSION,
    CLAUDE_CODE_MESSAGING_SOCKET: path,
    CLAUDE_CODE_MESSAGING_TOKEN: "secret",
  };
  Object.assign(inbox, { env, pushes, close });
  return inbox;
}

/** `a`, and a session of Claude Code with an inbox. */
async function bothJoined() {
  const world = new McpWorld();
  const inbox = await openInbox(world);
  const a = await world.connect("a:1");
  await a.done("join_path");
  const claude = await world.connect("", { env: inbox.env });
  const { agent_id: to } = await claude.done("join_path");
  expect(to).toMatch(/^claude:/);
  const send = async (body: string, more: object = {}) => {
    const { deliveries } = await a.done("send_message", { to, body, wake: "auto", ...more });
    return (deliveries as readonly Readonly<Record<string, unknown>>[])[0];
  };
  return { world, inbox, a, claude, to, send };
}

it("a message wakes an idle session once until it has read its mail, and the push carries nobody's words", async () => {
  const { inbox, claude, send } = await bothJoined();
  expect(await send("first secret")).toMatchObject({ wake_status: "fired_unconfirmed", will_be_seen: "unknown" });
  expect(await send("second secret")).toMatchObject({ wake_status: "fired_unconfirmed" });
  expect(await claude.done("read_my_messages")).toMatchObject({ count: 2 });
  inbox.onPush = () => claude.done("read_my_messages");
  expect(await send("third secret")).toMatchObject({ wake_status: "fired", will_be_seen: "on_wake" });
  expect(inbox.pushes).toHaveLength(2);
  expect(new Set(inbox.pushes).size).toBe(2);
  expect(inbox.pushes.join("")).not.toMatch(/first|second|third/);
});

it("mail whose sender does not ask for it wakes nobody", async () => {
  const { inbox, claude, send } = await bothJoined();
  expect(await send("later", { wake: "off" })).not.toHaveProperty("wake_status");
  expect(await claude.done("read_my_messages")).toMatchObject({ count: 1 });
  inbox.onPush = () => claude.done("read_my_messages");
  expect(await send("now")).toMatchObject({ wake_status: "fired" });
  expect(inbox.pushes).toHaveLength(1);
});

it("an inbox that is gone is told to the sender, and not tried again", async () => {
  const { inbox, claude, send } = await bothJoined();
  await inbox.close();
  expect(await send("one")).toMatchObject({ wake_status: "skipped_no_target", will_be_seen: "unknown" });
  expect(await claude.done("read_my_messages")).toMatchObject({ count: 1 });
  expect(await send("two")).toMatchObject({ wake_status: "skipped_no_target" });
});

it("a session that has called no tool yet is woken, too", async () => {
  const { world, inbox, claude, send } = await bothJoined();
  await claude.client.close();
  const silent = world.startServer("", { env: inbox.env });
  await silent.initialize();
  await send("hello");
  await expect.poll(() => inbox.pushes).toHaveLength(1);
});

it("a server whose harness wakes nobody, or that may not, pushes nothing", async () => {
  const world = new McpWorld();
  const inbox = await openInbox(world);
  const a = await world.connect("a:1");
  await a.done("join_path");
  const off = await world.connect("", { env: { ...inbox.env, TT_WAKE: "off" } });
  const { agent_id: to } = await off.done("join_path");
  // The inbox is named to it, but it is no session of the harness whose inbox it is.
  const { CLAUDECODE: _, CLAUDE_CODE_SESSION_ID: __, ...named } = inbox.env;
  const other = await world.connect("other:1", { env: named });
  await other.done("join_path");
  for (const name of [to, "other:1"]) {
    const { deliveries } = await a.done("send_message", { to: name, body: "hello", wake: "auto" });
    expect(deliveries).toMatchObject([{ wake_status: "skipped_no_target" }]);
  }
  expect(inbox.pushes).toEqual([]);
});
