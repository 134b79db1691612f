/** Mail is acknowledged only once it is on the terminal. */
import { expect, onTestFinished, test, vi } from "vitest";
import { asRoomId } from "../../../src/core/ids.ts";
import type { CliContext } from "../../../src/surfaces/cli/context.ts";
import { paint } from "../../../src/surfaces/cli/text/paint.ts";
import { Chat } from "../../../src/surfaces/console/chat.ts";
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

  async open(): Promise<{ chat: Chat; roomId: string; ended: Promise<void> }> {
    const contextPath = this.directory("r");
    const { roomId } = accepted(await this.as("a").joinPath({ contextPath }));
    accepted(await this.as("human:u", { person: true }).joinPath({ contextPath }));
    const { room } = (await this.deps.store.readRoom(asRoomId(roomId))) ?? {};
    if (!room) throw new Error("no room");
    const context = {
      deps: async () => this.deps,
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
      ring: () => undefined,
    } as Partial<ConsoleTerminal> as ConsoleTerminal;
  }

  /** Sends a message to the person, and returns when the chat has dealt with it. */
  async toPerson(chat: Chat, roomId: string, body: string): Promise<() => Promise<string | undefined>> {
    const { messageId } = accepted(await this.as("a").sendMessage({ roomId, to: "human:u", body }));
    await this.#taken(chat, messageId);
    // The next look comes when the one before is dealt with.
    const note = accepted(await this.as("a").sendMessage({ roomId, to: "room", body: "next" }));
    await this.#taken(chat, note.messageId);
    return async () => (await this.deps.store.readDeliveries(messageId))[0]?.state;
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
