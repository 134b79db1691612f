/** What a command is given: the ports that main wired, the global flags, and ways to answer. */

import { isAbsolute, join } from "node:path";
import type { Finding } from "../../core/finding.ts";
import type { AgentId } from "../../core/ids.ts";
import { withSnakeKeys } from "../../core/letter-case.ts";
import { type Next, wordNext } from "../../core/next.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { shellWord } from "../../core/shell-word.ts";
import { jsonText } from "../../core/visible.ts";
import type { Deps } from "../../engine/deps.ts";
import { ignoringFaults } from "../../engine/ignoring-faults.ts";
import type { ClaimBook } from "../../engine/operation.ts";
import type { AgentMemory } from "../../engine/ports/agent-memory.ts";
import type { GitLayer } from "../../engine/ports/git-layer.ts";
import { refuseLeftover } from "../../engine/refuse-leftover.ts";
import type { Installer } from "../../install/installer.ts";
import type { ProveRequest, TriedHarness } from "../../prove/rules/protection.ts";
import { findRoom } from "../../room/find-room.ts";
import type { Room } from "../../room/rules/room.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import { callerOf, type Identification } from "../../session/rules/identity.ts";
import type { TurnEnd } from "../../stick/rules/turn-end.ts";
import { asLeft, lostFacts, rememberTold, untoldLoss } from "../../stick/untold-loss.ts";
import type { Recorder } from "../recording/recorder.ts";
import { wrap } from "../words/wrap.ts";
import type { Arguments } from "./command.ts";
import { commandFor } from "./command-for.ts";
import { EXIT } from "./exit-codes.ts";
import { granted } from "./granted.ts";
import { type ErrorText, errorText } from "./text/error.ts";
import { namesFrom, type ShownNames, withHandles } from "./text/names.ts";
import { type Painter, paint } from "./text/paint.ts";
import type { Page, Reading } from "./text/reading.ts";

/** Which of the standard streams are a terminal, and how wide it is. */
export interface StandardStreams {
  readonly input: boolean;
  readonly output: boolean;
  readonly errors: boolean;
  readonly columns: number;
}

/** What marking a workspace would write. */
export interface MarkPlan {
  readonly plan: readonly { readonly path: string; readonly what: string; readonly text: string }[];
  /** Null if everything was written. */
  readonly carryOut: () => Refusal | null;
}

export type Purpose = "read" | "change";

/** The world outside, as main wires it. */
export interface CliPorts {
  readonly version: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly currentDirectory: string;
  readonly terminal: StandardStreams;
  /** Called when an answer carries mail: the program then runs more of its code than without. */
  readonly showedMail?: () => void;
  /** Resolve once the text has left the process. */
  readonly writeOut: (text: string) => Promise<void>;
  readonly writeError: (text: string) => Promise<void>;
  /** Throws if there is no standard output: the text would be lost, although no write fails. */
  readonly assertOutput: () => void;
  readonly readInput: (maxBytes: number) => Promise<string | Refusal>;
  /** Opens the store. If there is none yet, a read gets an empty one, and nothing is created. */
  readonly openDeps: (purpose: Purpose) => Promise<Deps | Refusal>;
  readonly identify: (named: string | undefined, deps: Deps) => Promise<Identification>;
  /** Whether a harness runs the command, as far as the program can tell without the store. */
  readonly insideHarness: () => boolean;
  readonly memory: () => AgentMemory;
  readonly claimBook: () => ClaimBook;
  /** Asks the person at the terminal a question; true if the answer is yes. */
  readonly confirm: (question: string) => Promise<boolean>;
  readonly planMark: (workspaceRoot: string) => MarkPlan | Refusal;
  /**
   * Sets harnesses up. `read` only looks. `change` requires a usable data directory. `undo` reads no settings, so that
   * a wrong setting cannot block it.
   */
  /** `guard`: whether to set up the guard; undefined to leave that as it is. */
  readonly installer: (purpose: Purpose | "undo", guard?: boolean) => Promise<Installer | Refusal>;
  /** The hooks of a repository by which git asks the guard. `undo` reads no settings. */
  readonly gitLayer: (purpose: "change" | "undo") => Promise<GitLayer | Refusal>;
  /** Runs harnesses against a scripted model, as `tt doctor --prove` does. */
  readonly prove: (request: ProveRequest) => Promise<readonly TriedHarness[] | Refusal>;
  /** Makes and writes recordings of rooms. */
  readonly recorder: () => Promise<Recorder>;
  /**
   * Where the files that prompts read are, and where our script for status lines is. `script`: its text, if it is wanted;
   * then it is written.
   */
  readonly promptPlace: (
    script: ((directory: string) => string) | null,
  ) => { readonly directory: string; readonly script: string } | Refusal;
  /** Shows one notification, as the settings say. */
  readonly tryNotification: () => Promise<
    | { readonly isOff: true }
    | { readonly isOff: false; readonly program: string | null; readonly problem: string | null }
    | Refusal
  >;
  /** What can be told without opening the store: versions, files, locks. */
  readonly diagnose: () => readonly Finding[];
  /** Which processes have a store open that cannot be read. */
  readonly diagnoseUsers: () => readonly Finding[];
  /** Aborted by SIGINT, SIGTERM and SIGHUP. */
  readonly interrupted: AbortSignal;
}

export interface CliSession {
  readonly deps: Deps;
  readonly caller: Caller;
  readonly memory: AgentMemory;
}

/** The room that a command is about, as it was found, and who acts or reads there. */
export interface Scene extends CliSession {
  readonly room: Room;
  /** Whether the command changes nothing. Then it does not even record what it has told the caller. */
  readonly reads: boolean;
}

export class CliContext {
  readonly ports: CliPorts;
  readonly args: Arguments;
  readonly paint: Painter;
  #deps: { readonly deps: Deps; readonly purpose: Purpose } | null = null;
  #identification: Identification | null = null;
  #scene: Scene | null = null;
  readonly #handles = new Map<string, string>();

  constructor(ports: CliPorts, args: Arguments) {
    this.ports = ports;
    this.args = args;
    this.paint = paint(likesColour(ports, ports.terminal.output, args.text("color")));
  }

  /** The directory that is meant: a positional path, --path, or where we are. */
  get path(): string {
    return this.args.positional("path") ?? this.args.text("path") ?? this.ports.currentDirectory;
  }

  get columns(): number {
    return columnsOf(this.ports);
  }

  /** How the next command begins: it repeats the agent and the place that this command named. */
  get tt(): string {
    return this.#ttWithout(null);
  }

  #ttWithout(refused: "agent" | "room" | null): string {
    const { args } = this;
    const given = [
      ["agent", args.text("agent")],
      ["room", args.text("room")],
      ["path", args.positional("path") ?? args.text("path")],
    ] as const;
    const flags = given.flatMap(([name, value]) =>
      value === undefined || name === refused ? [] : [`--${name} ${shellWord(value)}`],
    );
    return ["tt", ...flags].join(" ");
  }

  get page(): Page {
    const { columns: width, tt, paint: painter, names } = this;
    return { width, tt, paint: painter, names };
  }

  get names(): ShownNames {
    return namesFrom(this.#handles, this.args.isSet("ids"));
  }

  /**
   * Reads the handles that texts name agents by. Agents that have another name now are called by its handle. A command
   * that has not opened the store names no agent, and must not wait for the store.
   */
  async learnNames(agents: readonly AgentId[] = []): Promise<void> {
    const { deps } = this.#deps ?? {};
    if (deps === undefined || this.args.isSet("ids")) return;
    await ignoringFaults(async () => {
      const wanted = { roomId: this.args.text("room"), contextPath: this.path };
      const room = this.#scene?.room ?? (await findRoom(deps, wanted));
      if (!isRefusal(room)) await this.learnNamesIn(room.project, agents);
    });
  }

  /** An agent may have joined since the handles were read. */
  async learnNewNames(agents: readonly AgentId[]): Promise<void> {
    if (agents.some((agentId) => !this.#handles.has(agentId))) await this.learnNames(agents);
  }

  async learnNamesIn(project: string, agents: readonly AgentId[] = []): Promise<void> {
    const { store } = granted(await this.deps());
    for (const { agentId, handle } of await store.readHandles(project)) this.#handles.set(agentId, handle);
    const others = agents.filter((agentId) => !this.#handles.has(agentId));
    for (const [old, present] of others.length === 0 ? [] : await store.readAliases(others)) {
      const handle = this.#handles.get(present);
      if (handle !== undefined) this.#handles.set(old, handle);
    }
  }

  reading(nowMs: number): Reading {
    return {
      ...this.page,
      nowMs,
      directory: isAbsolute(this.path) ? this.path : join(this.ports.currentDirectory, this.path),
    };
  }

  async deps(purpose: Purpose = "read"): Promise<Deps | Refusal> {
    if (this.#deps && (purpose === "read" || this.#deps.purpose === purpose)) return this.#deps.deps;
    await this.close();
    const deps = await this.ports.openDeps(purpose);
    if (!isRefusal(deps)) this.#deps = { deps, purpose };
    return deps;
  }

  async identification(): Promise<Identification | Refusal> {
    const deps = await this.deps();
    return isRefusal(deps) ? deps : this.identificationWith(deps);
  }

  async identificationWith(deps: Deps): Promise<Identification> {
    this.#identification ??= await this.ports.identify(this.args.text("agent"), deps);
    return this.#identification;
  }

  /** The caller; null for a reader that cannot be identified. */
  async caller(): Promise<Caller | null> {
    const identification = await this.identification();
    if (isRefusal(identification) || isRefusal(identification.identity)) return null;
    return callerOf(identification.identity);
  }

  /** Why every command that acts would be refused; null for a caller who is known. */
  async unknownCaller(): Promise<Refusal | null> {
    const identification = await this.identification();
    if (isRefusal(identification)) return identification;
    return isRefusal(identification.identity) ? identification.identity : null;
  }

  /** What a command needs to call the service as an identified caller. */
  async session(purpose: Purpose = "change"): Promise<CliSession | Refusal> {
    const deps = await this.deps(purpose);
    if (isRefusal(deps)) return deps;
    const { identity, facts } = await this.identificationWith(deps);
    if (isRefusal(identity)) return identity;
    const caller = callerOf(identity, facts);
    const leftover = purpose === "change" ? refuseLeftover(deps, caller) : null;
    return leftover ?? { deps, caller, memory: this.ports.memory() };
  }

  /** JSON for harnesses and on demand, text for people. */
  async wantsJson(): Promise<boolean> {
    if (this.args.isSet("json")) return true;
    if (this.args.isSet("text")) return false;
    return this.ports.insideHarness();
  }

  /** After this call, the answer also tells of the stick or the place that the caller lost in that room. */
  isAbout(scene: Scene): void {
    this.#scene = scene;
    for (const { agentId, handle } of scene.room.presence.values()) this.#handles.set(agentId, handle);
  }

  async #untoldLoss(): Promise<TurnEnd | null> {
    if (!this.#scene) return null;
    const { deps, memory, caller, room } = this.#scene;
    return untoldLoss(deps, memory, caller, asLeft(deps, room));
  }

  #hasTold(end: Pick<TurnEnd, "eventSeq" | "eventId">): void {
    if (!this.#scene || this.#scene.reads) return;
    const { memory, caller, room } = this.#scene;
    rememberTold(memory, caller, room.id, end);
  }

  /** Prints exactly the operation's answer, or its text for a person. */
  async answer<Answer>(
    answer: Answer,
    text: (answer: Answer) => string,
    agents: readonly AgentId[] = [],
  ): Promise<void> {
    const json = await this.wantsJson();
    const end = await this.#untoldLoss();
    const lost = end && lostFacts(end);
    if (!json) await this.learnNames(agents);
    const words = () =>
      lost ? `${wrap(this.#withHandles(lost.message), this.columns)}\n${text(answer)}` : text(answer);
    const told = this.#told(answer, lost);
    await this.ports.writeOut(json ? `${jsonText(withSnakeKeys(told))}\n` : ended(words()));
    if (end) this.#hasTold(end);
  }

  /** The answer as JSON has it, with what to do next in words and what the caller lost. Lists stay lists. */
  #told(answer: unknown, lost: object | null | undefined): unknown {
    if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return answer;
    const { next } = answer as { readonly next?: Next };
    return { ...answer, ...(next !== undefined && { next: this.wordsOf(next) }), ...(lost && { lost }) };
  }

  /** Errors go to standard error, in the form that the answer would have had. */
  async refuse(refusal: Refusal): Promise<number> {
    const { error, facts } = refusal;
    const next = this.nextOf(refusal);
    const end = await this.#untoldLoss();
    // If the refusal itself says how the turn ended, nothing is added.
    const lost = end && facts["ended"] === undefined ? lostFacts(end) : null;
    const json = await this.wantsJsonErrors();
    if (!json) await this.learnNames();
    const said = lost && !json ? `${lost.message} ${refusal.message}` : refusal.message;
    const message = json ? said : this.#withHandles(said);
    const text = json
      ? `${jsonText({ error, message, next, ...facts, ...(lost && { lost }) })}\n`
      : errorFor(this.ports, { message, next, facts, names: this.names }, this.args.text("color"));
    await this.ports.writeError(text);
    if (end) this.#hasTold(end);
    return error === "room_closed" ? EXIT.closed : EXIT.refused;
  }

  #withHandles(sentence: string): string {
    return this.args.isSet("ids") ? sentence : withHandles(sentence, this.#handles);
  }

  /** What to do next, with its command as it must be typed here. */
  nextOf({ error, next, facts }: Refusal): string {
    // The next command must not repeat a name or a room that was just refused.
    const isUnknownRoom = error === "room_not_found" && "room_id" in facts;
    return this.wordsOf(next, this.#ttWithout("named_agent_id" in facts ? "agent" : isUnknownRoom ? "room" : null));
  }

  /** The same for the `next` of an answer. */
  wordsOf(next: Next, tt = this.tt): string {
    return wordNext(next, (step) => commandFor(step, tt)).replace(NAMED_COMMAND, tt);
  }

  async wantsJsonErrors(): Promise<boolean> {
    try {
      return await this.wantsJson();
    } catch {
      // The store itself cannot be used, and the error is about to say so.
      return this.ports.insideHarness();
    }
  }

  async close(): Promise<void> {
    const { deps } = this.#deps ?? {};
    this.#deps = null;
    await deps?.bell.close();
    await deps?.store.close();
  }
}

/** A command that a sentence names, such as in "Create one: tt join". */
const NAMED_COMMAND = /(?<=: |`)tt(?= [a-z])/g;

/** An error in words. It goes to standard error, which may be a file while standard output is a terminal. */
export function errorFor(ports: CliPorts, error: ErrorText, color?: string): string {
  return errorText(error, columnsOf(ports), paint(likesColour(ports, ports.terminal.errors, color)));
}

/** For texts that people read. */
export function columnsOf({ terminal }: CliPorts): number {
  return terminal.output ? Math.max(20, Math.min(terminal.columns, 100)) : 80;
}

/** What the line says counts before what the environment says. */
function likesColour({ env }: CliPorts, isTerminal: boolean, color = "auto"): boolean {
  if (color !== "auto") return color === "always";
  return isTerminal && !env["NO_COLOR"] && env["TERM"] !== "dumb";
}

function ended(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
