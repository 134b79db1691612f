/** Mail is acknowledged only once it is on the terminal. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { Fault } from "../../../src/core/fault.ts";
import { asEventId, asRoomId } from "../../../src/core/ids.ts";
import type { Deps } from "../../../src/engine/deps.ts";
import type { InFlight } from "../../../src/engine/in-flight.ts";
import { askPeer } from "../../../src/mail/ask-peer.ts";
import type { CliContext } from "../../../src/surfaces/cli/context.ts";
import { paint } from "../../../src/surfaces/cli/text/paint.ts";
import { Chat } from "../../../src/surfaces/console/chat/chat.ts";
import type { ConsoleTerminal } from "../../../src/surfaces/console/console-terminal.ts";
import { accepted, ServiceWorld } from "../../support/service-world.ts";

// Ink draws no live region where these are set. The built program carries an Ink that does not look at them.
vi.hoisted(() => {
  for (const name of ["CI", "CONTINUOUS_INTEGRATION"]) delete process.env[name];
});

const ASKS_WIDTH = "\u001b[6n";
const A_MINUTE = { timeout: 60_000 };

/** A chat of a person with `a`, on a terminal that keeps what is written. */
class ChatWorld extends ServiceWorld {
  readonly quit = new AbortController();
  /** Called with what is written. */
  onWrite: (text: string) => void = () => undefined;
  written = "";

  readonly rung: string[] = [];

  async room(): Promise<string> {
    const contextPath = this.directory("r");
    const { roomId } = accepted(await this.as("a").joinPath({ contextPath }));
    accepted(await this.as("human:u", { person: true }).joinPath({ contextPath }));
    return roomId;
  }

  /** Another room of the same project, with `b`. */
  async roomElsewhere(): Promise<{ readonly roomId: string }> {
    writeFileSync(join(this.directory("r"), "package.json"), "{}");
    const contextPath = this.directory("r/sub");
    const { roomId } = accepted(await this.as("b").joinPath({ contextPath, forceNew: true }));
    return { roomId };
  }

  async open(deps: Deps = this.deps): Promise<{ chat: Chat; roomId: string; ended: Promise<void> }> {
    const roomId = await this.room();
    const { room } = (await this.deps.store.readRoom(asRoomId(roomId))) ?? {};
    if (!room) throw new Error("no room");
    const context = {
      deps: async () => deps,
      close: async () => undefined,
      args: { isSet: () => false },
      paint: paint(false),
    } as unknown as CliContext;
    const person = this.callerOf("human:u", { person: true });
    const chat = new Chat({ context, terminal: this.#terminal(), room, person, quit: this.quit });
    const ended = chat.run();
    onTestFinished(async () => {
      this.quit.abort();
      await ended;
    });
    await expect.poll(() => chat.state.picture, A_MINUTE).not.toBeNull();
    return { chat, roomId, ended };
  }

  #terminal(): ConsoleTerminal {
    return {
      columns: 80,
      rows: 24,
      write: (text) => {
        this.written += text;
        this.onWrite(text);
      },
      flushed: async () => undefined,
      ring: (about) => void this.rung.push(about),
    } as Partial<ConsoleTerminal> as ConsoleTerminal;
  }

  /** Sends a message to the person, and returns when the chat has dealt with it. */
  async toPerson(chat: Chat, roomId: string, body: string): Promise<() => Promise<string | undefined>> {
    const { messageId } = accepted(await this.as("a").sendMessage({ roomId, to: "human:u", body }));
    await this.#taken(chat, messageId);
    // The next look comes when the one before is dealt with.
    const note = accepted(await this.as("a").sendMessage({ roomId, to: "room", body: "next" }));
    await this.#taken(chat, note.messageId);
    return async () => (await this.deps.store.readDeliveries([messageId]))[0]?.state;
  }

  /** The person asks `b`, as the chat does. */
  ask(roomId: string, body: string) {
    const replies: InFlight[] = [];
    const caller = this.callerOf("human:u", { person: true });
    const at = {
      deps: this.deps,
      caller,
      directory: this.directory("r"),
      wanted: { roomId: asRoomId(roomId), contextPath: "" },
      isAbout: null,
    };
    const input = { to: "b", body, timeoutMs: 60_000 };
    return { asking: askPeer.run(at, input, { afterOutput: (mail) => void replies.push(mail) }), replies };
  }

  /** The questions to that agent, once there is one. */
  async asksTo(peer: string): Promise<readonly string[]> {
    const asks = async () => (await this.deps.store.readWaitingAsks()).filter((ask) => ask.peer === peer);
    await expect.poll(asks, A_MINUTE).not.toEqual([]);
    return (await asks()).map(({ requestId }) => requestId);
  }

  async #taken(chat: Chat, messageId: string): Promise<void> {
    const isThere = () => chat.state.tail.some((item) => "event" in item && item.event.eventId === messageId);
    await expect.poll(isThere, A_MINUTE).toBe(true);
  }
}

test("while the terminal is resized, mail stays unread until it is drawn", async () => {
  const world = new ChatWorld();
  const { chat, roomId } = await world.open();
  let isStill = false;
  world.onWrite = (text) => {
    if (text.includes(ASKS_WIDTH)) queueMicrotask(() => chat.hasColumns(isStill ? 80 : 60));
  };
  chat.resized();
  const state = await world.toPerson(chat, roomId, "for your eyes");
  expect(await state()).toBe("in_flight");
  expect(world.written).not.toContain("for your eyes");
  isStill = true;
  await expect.poll(state, A_MINUTE).toBe("acked");
  expect(world.written).toContain("for your eyes");
});

test("while the chat is hidden, mail stays unread until it is shown again", async () => {
  const world = new ChatWorld();
  const { chat, roomId } = await world.open();
  chat.hide();
  const state = await world.toPerson(chat, roomId, "for your eyes");
  expect(await state()).toBe("in_flight");
  expect(world.written).not.toContain("for your eyes");
  chat.show();
  await expect.poll(state, A_MINUTE).toBe("acked");
  expect(world.written).toContain("for your eyes");
});

test("a chat that ends while it is hidden gives back what it did not show", async () => {
  const world = new ChatWorld();
  const { chat, roomId, ended } = await world.open();
  chat.hide();
  const state = await world.toPerson(chat, roomId, "for your eyes");
  world.quit.abort();
  await ended;
  expect(await state()).toBe("pending");
});

test("what the region holds flows up before the chat is hidden", async () => {
  const world = new ChatWorld();
  const { chat, roomId } = await world.open();
  const state = await world.toPerson(chat, roomId, "for your eyes");
  await expect.poll(state, A_MINUTE).toBe("acked");
  world.written = "";
  chat.hide();
  expect(world.written).toContain("│ for your eyes");
  expect(chat.state.tail).toEqual([]);
});

test("a reply from another room is shown before it is acknowledged", async () => {
  const world = new ChatWorld();
  const { chat, roomId } = await world.open();
  const { roomId: otherRoom } = await world.roomElsewhere();
  const { asking, replies } = world.ask(roomId, "which port?");
  const [question] = await world.asksTo("b");
  accepted(await world.as("b").replyToMessage({ roomId: otherRoom, messageId: question ?? "", body: "port 8080" }));
  const { reply } = accepted(await asking);
  const replyId = asEventId(reply?.messageId ?? "");
  const [message] = await world.deps.store.readMessages([replyId]);
  expect(message?.roomId).toBe(otherRoom);
  chat.hide();
  for (const mail of replies) await chat.hold(mail, replyId);
  const state = async () => (await world.deps.store.readDeliveries([replyId]))[0]?.state;
  expect(await state()).toBe("in_flight");
  chat.show();
  await expect.poll(state, A_MINUTE).toBe("acked");
  expect(world.written).toMatch(/b → you, in \S+\/r\/sub \(answers\)/);
  expect(world.written).toContain("│ port 8080");
});

test("a fault while the chat opens loses no event and no mail", async () => {
  const world = new ChatWorld();
  const roomId = await world.room();
  const bodies = ["letter-1", "letter-2", "letter-3"];
  for (const body of bodies) accepted(await world.as("a").sendMessage({ roomId, to: "human:u", body }));
  let reads = 0;
  const store = new Proxy(world.deps.store, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (property === "readDeliveries" && (reads += 1) === 2)
          throw new Fault("store_busy", "The store is busy.", { next: "Try again.", retry: true });
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
  await world.open({ ...world.deps, store });
  for (const body of bodies) await expect.poll(() => world.written, A_MINUTE).toContain(`│ ${body}`);
  expect(reads).toBeGreaterThan(2);
});

test("a question from another room rings, tells that its asker waits, and can be answered from here", async () => {
  const world = new ChatWorld();
  const { chat, roomId } = await world.open();
  const { roomId: otherRoom } = await world.roomElsewhere();
  const answered = world
    .as("b")
    .askPeer({ roomId: otherRoom, to: "human:u", body: "may I delete it?", timeoutMs: 60_000 });
  await expect.poll(() => chat.state.asked, A_MINUTE).toMatchObject([{ asker: "b", name: "b" }]);
  await expect.poll(() => world.written, A_MINUTE).toMatch(/b → you, in \S+\/r\/sub \(asks and waits\)/);
  expect(world.written).toContain("b asks you. Answer: @b text");
  expect(world.rung).toEqual(["b asks you"]);
  const [messageId] = await world.asksTo("human:u");
  const person = world.as("human:u", { person: true });
  accepted(await person.replyToMessage({ roomId, messageId: messageId ?? "", body: "you may" }));
  expect(accepted(await answered).answer.reply?.body).toBe("you may");
  await expect.poll(() => chat.state.asked, A_MINUTE).toEqual([]);
});
