/**
 * A participant's mail as a stream. One message at a time is in flight for each sender; while the loop works on it, it
 * stays in flight, however slow the loop is. What the loop leaves unanswered comes again: at once if the loop ends there,
 * otherwise when its time in flight is over.
 */
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { ignoringFaults } from "../../engine/ignoring-faults.ts";
import { keepInFlight } from "../../engine/in-flight.ts";
import type { Stay } from "../../mail/as-receiver.ts";
import type { ReceivedMessage } from "../../mail/rules/message.ts";
import type { TakenMessages } from "../../mail/take-messages.ts";
import type { InboxMessage, MessagesInput } from "./api.ts";
import type { Client } from "./client.ts";
import { orThrow } from "./error.ts";

export async function* messagesOf(
  client: Client,
  { from, signal }: MessagesInput = {},
): AsyncGenerator<InboxMessage, void, undefined> {
  const sender = from === undefined ? {} : { from };
  const until = client.until(signal);
  const receiver = await client.step(() => register(client, sender));
  try {
    for (let goesOn = false; !until.aborted; goesOn = true) {
      const wanted = { limit: 1, ack: "manual", signal: until, goesOn, ...sender } as const;
      const { message } = await client.step(async () => {
        await receiver.stay();
        const taken = await client.stick.receiveMessages(wanted);
        if (isRefusal(taken)) return taken;
        const [received] = taken.answer.messages;
        // Known before the step is over, so that a participant that closes meanwhile gives it back.
        return { message: received ? new MessageInFlight(client, received, taken) : null };
      });
      if (!message) continue;
      let isLeftInFlight = false;
      try {
        if (until.aborted) return;
        yield message.view;
        isLeftInFlight = true;
      } finally {
        await message.leave({ givesBack: !isLeftInFlight });
      }
    }
  } finally {
    await receiver.end();
  }
}

/** Until its end, senders are told that their messages are seen now. */
async function register(client: Client, sender: { readonly from?: string }) {
  const stop = new AbortController();
  const over = new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve()));
  let receiving: Promise<void | Refusal> = over;
  const stay = await new Promise<Stay | Refusal>((resolve, reject) => {
    const work = async (whileReceiving: Stay) => {
      resolve(whileReceiving);
      await over;
    };
    receiving = client.stick.asReceiver(work, sender);
    receiving.then((refused) => refused && resolve(refused), reject);
  });
  if (isRefusal(stay)) return stay;
  const end = async () => {
    forget();
    stop.abort();
    await orThrow(() => receiving);
  };
  const forget = client.beforeClosing(end);
  return { stay, end };
}

class MessageInFlight {
  readonly view: InboxMessage;
  readonly #taken: TakenMessages;
  readonly #stopExtending: () => Promise<void>;
  readonly #forget: () => void;
  #isOpen = true;

  constructor(client: Client, received: ReceivedMessage, taken: TakenMessages) {
    const { messageId, attempt } = received;
    const { stick } = client;
    const answer = async (work: () => Promise<object | Refusal>) => {
      await client.call(work);
      this.#close();
    };
    this.view = {
      ...received,
      ack: () => answer(() => stick.ackMessage({ messageId, attempt })),
      nack: (reason) => answer(() => stick.nackMessage({ messageId, attempt, reason })),
      reply: (body) => client.call(() => stick.replyToMessage({ messageId, body })),
    };
    this.#taken = taken;
    this.#stopExtending = keepInFlight(taken, { keepsAlive: false });
    this.#forget = client.beforeClosing(() => this.leave({ givesBack: true }));
  }

  /** The loop is done with it, whether it was answered or not. */
  async leave({ givesBack }: { readonly givesBack: boolean }): Promise<void> {
    const wasOpen = this.#isOpen;
    this.#close();
    await this.#stopExtending();
    // If that fails, the message comes again when its time is over.
    if (wasOpen && givesBack) await ignoringFaults(async () => this.#taken.giveBack());
  }

  #close(): void {
    this.#isOpen = false;
    void this.#stopExtending();
    this.#forget();
  }
}
