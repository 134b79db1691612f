/** Opens the chat: the keys of the person, what they do, and every way to end it. */
import { isRefusal } from "../../../core/refusal.ts";
import { wallMsOf } from "../../../core/time.ts";
import { quoted } from "../../../core/visible.ts";
import type { RoomPicture } from "../../../peers/rules/picture.ts";
import type { CliContext } from "../../cli/context.ts";
import { EXIT } from "../../cli/exit-codes.ts";
import { granted } from "../../cli/granted.ts";
import { personOf } from "../../cli/person-of.ts";
import { roomOf } from "../../cli/room-of.ts";
import {
  type AskedQuestion,
  give,
  kick,
  pauseOrResume,
  questionOf,
  type StepIn,
  type StepInQuestion,
  take,
} from "../../picture/step-in.ts";
import { edited, fits, submitted, tooLong, withText } from "../composer.ts";
import type { ConsoleTerminal } from "../console-terminal.ts";
import { type Key, KeyReader } from "../keys.ts";
import { readingKeys } from "../opening.ts";
import { type Act, failureText, RoomActions } from "../room-actions.ts";
import { Chat } from "./chat.ts";
import { CHAT_HELP, whoText, whyText } from "./chat-words.ts";
import { type ChatCommand, type ChatLine, completed, typedAs } from "./typed.ts";

export async function openChat(context: CliContext, terminal: ConsoleTerminal): Promise<number> {
  const room = granted(await roomOf(context));
  const person = await personOf(context);
  const quit = new AbortController();
  const { interrupted } = context.ports;
  interrupted.addEventListener("abort", () => quit.abort());
  const chat = new Chat({ context, terminal, room, person, quit });
  const keys = new ChatKeys(context, chat, {
    roomId: room.id,
    maxBytes: room.policy.messageMaxBytes,
    quit,
    terminal,
  });
  terminal.on.gone(() => quit.abort());
  terminal.on.resize(() => chat.resized());
  terminal.on.continued(() => keys.continued());
  terminal.enter({ fullScreen: false });
  terminal.on.input(
    readingKeys(
      new KeyReader(),
      (key) => keys.press(key),
      () => chat.draw(),
    ),
  );
  try {
    if (person && room.state.status !== "closed") await keys.join(room.path);
    await chat.run();
  } finally {
    quit.abort();
    terminal.leave();
  }
  return EXIT.done;
}

interface KeysOptions {
  /** Of a message. */
  readonly maxBytes: number;
  readonly roomId: RoomPicture["roomId"];
  readonly quit: AbortController;
  readonly terminal: ConsoleTerminal;
}

class ChatKeys {
  readonly #context: CliContext;
  readonly #chat: Chat;
  readonly #options: KeysOptions;
  readonly #actions: RoomActions;
  #isStopped = false;
  /** The questions that the person knew of when the draft began. Only these can it mean to answer. */
  #knownQuestions: ReadonlySet<string> = new Set();

  constructor(context: CliContext, chat: Chat, options: KeysOptions) {
    this.#context = context;
    this.#chat = chat;
    this.#options = options;
    const { roomId, quit } = options;
    const taken = chat.hold.bind(chat);
    this.#actions = new RoomActions({ context, roomId, cancel: quit.signal, taken });
  }

  /** A person who talks here can be asked, so the chat joins the room. */
  async join(path: string): Promise<void> {
    const why = failureText(this.#context, await this.#actions.join(path));
    if (why !== null) this.#chat.say(`! ${why}`, "red");
  }

  continued(): void {
    // The shell has written since, so the region begins below that.
    if (this.#isStopped) this.#options.terminal.write("\n");
    this.#isStopped = false;
    this.#chat.show();
  }

  press(key: Key): void {
    const { quit, terminal } = this.#options;
    const { composer, isReadOnly, question } = this.#chat.state;
    if ("columns" in key) return this.#chat.hasColumns(key.columns);
    const name = "name" in key ? key.name : null;
    if (name === "suspend") {
      this.#isStopped = true;
      this.#chat.hide();
      return terminal.suspend();
    }
    if (question !== null) return this.#decide(key, question);
    const isEmpty = composer.text === "";
    if (isEmpty) this.#knowQuestions();
    if (name === "interrupt" && !isEmpty) return this.#replace({ text: "", notice: "Ctrl-C again ends the chat." });
    if (name === "interrupt" || (name === "end-of-input" && isEmpty)) return quit.abort();
    if (isReadOnly) return;
    if (name === "enter") return this.#submit();
    if (name === "tab") return this.#replace({ text: completed(composer.text, this.#chat.names) });
    if (name === "end-of-input") return this.press({ name: "delete" });
    if (!fits(composer, key, this.#options.maxBytes)) return this.#tell(tooLong(this.#options.maxBytes));
    this.#chat.state = { ...this.#chat.state, composer: edited(composer, key), notice: null };
  }

  #bringBack(text: string): void {
    if (this.#chat.state.composer.text === "") this.#replace({ text });
  }

  #replace({ text, notice = null }: { readonly text: string; readonly notice?: string | null }): void {
    this.#chat.state = { ...this.#chat.state, composer: withText(this.#chat.state.composer, text), notice };
  }

  #tell(notice: string): void {
    this.#chat.state = { ...this.#chat.state, notice };
  }

  #decide(key: Key, { steps }: StepInQuestion): void {
    this.#chat.state = { ...this.#chat.state, question: null, notice: null };
    if ("text" in key && /^y/i.test(key.text)) return this.#do(() => this.#actions.carryOut(steps));
    this.#tell("Nothing was done.");
  }

  #submit(): void {
    const { composer } = this.#chat.state;
    const typed = typedAs(composer.text);
    if (typed.kind === "nothing") return;
    // What is wrong stays, to be mended.
    if (typed.kind === "wrong") return this.#tell(typed.why);
    const wrongName = this.#wrongNameIn(typed);
    if (wrongName !== null) return this.#tell(wrongName);
    const question = this.#questionAnsweredBy(typed);
    if (question !== null && !this.#knownQuestions.has(question.messageId)) {
      this.#knowQuestions();
      return this.#tell(`${question.name} asked while you wrote. Enter sends this as your answer.`);
    }
    this.#chat.state = { ...this.#chat.state, composer: submitted(composer), notice: null };
    this.#carryOut(typed, composer.text);
  }

  /** A message to an agent that waits for the person's answer is that answer. */
  #questionAnsweredBy(typed: ChatLine): AskedQuestion | null {
    if (typed.kind !== "send" || typed.interrupt) return null;
    return questionOf(this.#chat.state.asked, typed.to ?? this.#chat.state.addressee);
  }

  #knowQuestions(): void {
    this.#knownQuestions = new Set(this.#chat.state.asked.map(({ messageId }) => messageId));
  }

  #wrongNameIn(typed: ChatLine): string | null {
    if (typed.kind === "address") return this.#chat.isKnown(typed.to) ? null : this.#unknown(typed.to);
    if (typed.kind !== "command" || (typed.command !== "give" && typed.command !== "kick")) return null;
    const { name } = nameAndReason(typed.words);
    if (name === "") return `Name the agent: /${typed.command} ${this.#chat.names[0] ?? "NAME"}`;
    return this.#chat.isKnown(name) ? null : this.#unknown(name);
  }

  #unknown(name: string): string {
    const { names } = this.#chat;
    const others = names.length === 0 ? "Nobody else is here." : `Candidates: ${names.join(", ")}`;
    return `There is no member ${quoted(name)} here. ${others}`;
  }

  #carryOut(typed: Exclude<ChatLine, { readonly kind: "nothing" | "wrong" }>, text: string): void {
    switch (typed.kind) {
      case "address":
        return void (this.#chat.state = { ...this.#chat.state, addressee: typed.to });
      case "ask":
        return this.#do(() => this.#actions.ask(typed.to, typed.body), text);
      case "send": {
        const to = typed.to ?? this.#chat.state.addressee;
        const question = this.#questionAnsweredBy(typed);
        if (question !== null) return this.#do(() => this.#actions.answer(question.messageId, typed.body), text);
        return this.#do(() => this.#actions.send(to, typed.body, typed.interrupt), text);
      }
      case "command":
        return this.#command(typed.command, typed.words);
    }
  }

  #command(command: ChatCommand, words: string): void {
    const { picture } = this.#chat.state;
    if (command === "quit") return this.#options.quit.abort();
    if (command === "help") return this.#chat.say(CHAT_HELP, "plain");
    if (picture === null) return this.#chat.say("The room cannot be read at the moment.", "yellow");
    if (command === "who") return this.#chat.say(whoText(picture), "plain");
    if (command === "why") return this.#chat.say(whyText(picture, wallMsOf(picture.asOf), this.#context.tt), "plain");
    if (command === "take") return this.#stepIn(take(picture, words));
    if (command === "pause" || command === "resume") return this.#pause(command, picture, words);
    const { name, reason } = nameAndReason(words);
    this.#stepIn(command === "kick" ? kick(picture, name, reason) : give(picture, name, reason));
  }

  #pause(command: "pause" | "resume", picture: RoomPicture, words: string): void {
    const isPaused = picture.now.paused !== null;
    if (isPaused === (command === "pause")) {
      return this.#chat.say(isPaused ? "The room is paused already." : "The room is not paused.", "yellow");
    }
    this.#stepIn(pauseOrResume(picture, words));
  }

  #stepIn({ question, steps }: StepIn): void {
    if (question === null) return this.#do(() => this.#actions.carryOut(steps));
    const { roomId } = this.#options;
    this.#chat.state = { ...this.#chat.state, question: { ...question, roomId, steps } };
  }

  /** A text that is refused comes back to be mended, unless the person has begun another one. */
  #do(act: Act, text = ""): void {
    // A change would create a store in place of one that is gone.
    if (this.#chat.state.trouble !== null) {
      this.#bringBack(text);
      return this.#chat.say("The room cannot be reached at the moment.", "yellow");
    }
    void this.#tellFailure(act, text);
  }

  /** What succeeded shows in the flow; what was refused is said. */
  async #tellFailure(act: Act, text: string): Promise<void> {
    try {
      const answer = await act();
      const why = failureText(this.#context, answer);
      if (isRefusal(answer)) this.#bringBack(text);
      if (why !== null) this.#chat.say(`! ${why}`, "red");
    } catch (error) {
      this.#chat.say(`! ${error instanceof Error ? error.message : String(error)}`, "red");
    }
  }
}

function nameAndReason(words: string): { readonly name: string; readonly reason: string } {
  const [, name = "", reason = ""] = /^@?(\S*)\s*([^]*)$/.exec(words) ?? [];
  return { name, reason };
}
