/**
 * A command that is one form of an operation: which words and flags give which fields, and how the answer reads. The
 * operation decodes, finds the room and does the work.
 */
import type { Fields, RawInput } from "../../core/field.ts";
import type { AgentId } from "../../core/ids.ts";
import { toSnakeCase } from "../../core/letter-case.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { lastKnown } from "../../engine/commit.ts";
import type { Deps } from "../../engine/deps.ts";
import { ignoringFaults } from "../../engine/ignoring-faults.ts";
import { type InFlight, keepWhile } from "../../engine/in-flight.ts";
import type { Call, Needs, Operation } from "../../engine/operation.ts";
import type { RoomPlace } from "../../room/rules/room-place.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import type { Identification } from "../../session/rules/identity.ts";
import { withoutTurn } from "../../stick/without-turn.ts";
import { type Door, perform } from "../door.ts";
import type { Arguments, Command, Flag, FlagKind, Positional } from "./command.ts";
import type { CliContext } from "./context.ts";
import { EXIT } from "./exit-codes.ts";
import { liveLine } from "./live-line.ts";
import { type Insistence, meansIt } from "./means-it.ts";
import type { Reading } from "./text/reading.ts";
import { placeLines } from "./text/room.ts";

/** The field that a flag or a word gives. A flag's kind follows from the field, unless the form names the kind. */
type FormFlag<F extends Fields> = Omit<Flag, "kind"> & { readonly kind?: FlagKind; readonly field?: keyof F & string };
type FormPositional<F extends Fields> = Positional & { readonly field?: keyof F & string };

/** What a text may need besides the answer. */
export interface AnswerContext {
  readonly context: CliContext;
  readonly caller: Caller | null;
  /** For operations that judge the evidence about their caller. */
  readonly identification: Identification | null;
  readonly deps: Deps;
  readonly nowMs: number;
  /** The mail that comes with the answer. */
  readonly taken: InFlight | null;
}

/** What a form learns while its operation runs. */
export interface Known {
  caller: Caller | null;
  identification: Identification | null;
  deps: Deps | null;
  taken: InFlight | null;
}

interface CliForm<N extends Needs, F extends Fields, Answer extends object> extends Way<N, F, Answer> {
  readonly words: string;
  readonly summary: string;
  readonly details?: readonly string[];
  readonly example: string;
  readonly otherFlags?: Command["otherFlags"];
  readonly hidden?: boolean;
  readonly roomless?: boolean;
}

/** The way from the words of a command through an operation to an answer. One command may have several. */
interface Way<N extends Needs, F extends Fields, Answer extends object> {
  readonly of: Operation<N, F, Answer>;
  readonly positionals?: readonly FormPositional<F>[];
  readonly flags?: Readonly<Record<string, FormFlag<F>>>;
  /** Input that neither a word nor a flag gives by itself. */
  readonly gather?: (context: CliContext, args: Arguments) => RawInput | Refusal | Promise<RawInput | Refusal>;
  /** The advice for a person, who may do what is refused to agents. */
  readonly advise?: (refusal: Refusal, caller: Caller, args: Arguments) => string | undefined;
  /** What a person may do anyway after such a refusal: the question to ask first, and the input that then says so. */
  readonly asks?: (refusal: Refusal, context: CliContext) => Insistence | null;
  /** A refusal in the words of this command. */
  readonly reword?: (refusal: Refusal, args: Arguments) => Refusal;
  /** Input that every use of this form has in common. */
  readonly fixed?: RawInput;
  /** The line that a waiting person sees: always the same, or a text about what the wait sees. */
  readonly live?: string | ((seen: object, reading: Reading) => string);
  /** A line for a waiting person about what has changed since the last look; null for none. */
  readonly news?: (seen: object, before: object | null, reading: Reading) => string | null;
  /** For a wait without a limit: the input for the next call after an answer without news. Null ends the wait. */
  readonly again?: (answer: Answer, context: CliContext, args: Arguments) => RawInput | null;
  /** Agents in the answer that are perhaps no members any more, for the handles in the text. */
  readonly agentsIn?: (answer: Answer) => readonly AgentId[];
  readonly exit?: (answer: Answer, shown: AnswerContext) => number;
  readonly text: (answer: Answer, shown: AnswerContext) => string;
}

export function form<N extends Needs, F extends Fields, Answer extends object>(
  definition: CliForm<N, F, Answer>,
): Command {
  const {
    words,
    of,
    summary,
    details,
    example,
    positionals = [],
    flags = {},
    otherFlags,
    hidden,
    roomless,
  } = definition;
  return {
    name: words,
    of: of.name,
    summary,
    example,
    positionals,
    flags: Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, flagOf(of.input, flag)])),
    ...(details && { details }),
    ...(otherFlags && { otherFlags }),
    ...(hidden && { hidden }),
    ...(roomless && { roomless }),
    run: (context, args) => runForm(definition, context, args),
  };
}

function flagOf(fields: Fields, { field, kind, ...flag }: FormFlag<Fields>): Flag {
  return { ...flag, kind: kind ?? KINDS[String(fields[field ?? ""]?.schema["type"])] ?? "text" };
}

const KINDS: Readonly<Record<string, FlagKind>> = {
  boolean: "boolean",
  integer: "number",
  string: "text",
  array: "list",
};

export async function runForm<N extends Needs, F extends Fields, Answer extends object>(
  definition: Way<N, F, Answer>,
  context: CliContext,
  args: Arguments,
): Promise<number> {
  const { of, gather, text, fixed, exit } = definition;
  const gathered = gather ? await gather(context, args) : {};
  if (isRefusal(gathered)) return context.refuse(gathered);
  const room = of.needs.room === "none" ? {} : { roomId: args.text("room") };
  const known: Known = { caller: null, identification: null, deps: null, taken: null };
  const input = { ...room, ...fieldsFrom(definition, args), ...fixed, ...gathered };
  const run = (more: RawInput) =>
    givingBackOnFault(known, () => performAsAsked(definition, context, args, { input: { ...input, ...more }, known }));
  const first = await run({});
  const insists = isRefusal(first) && known.caller?.isPerson ? (definition.asks?.(first, context) ?? null) : null;
  const answer =
    insists !== null && (await meansIt(context, args, insists.question)) ? await run(insists.input) : first;
  if (isRefusal(answer)) return context.refuse(worded(definition, answer, known, args));
  const { caller, identification, deps, taken } = known;
  const shown = { context, caller, identification, deps: deps as Deps, nowMs: deps?.clock.now().wallMs ?? 0, taken };
  const written = context.answer(
    answer,
    (told) => withPlace(told, text(told, shown), context),
    definition.agentsIn?.(answer),
  );
  await (taken ? keepWhile(taken, written) : written);
  if (taken && Number.isFinite(taken.inflightTimeoutMs)) context.ports.showedMail?.();
  return exit?.(answer, shown) ?? EXIT.done;
}

/** A command that created its room says first where that is. */
function withPlace(answer: RoomPlace, text: string, { page }: CliContext): string {
  return [...placeLines(answer, page), text].join("\n");
}

/** If the answer fails, the mail that was taken for it goes back, so that another call can read it at once. */
async function givingBackOnFault<Answer>(known: Known, work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    await ignoringFaults(async () => known.taken?.giveBack());
    throw error;
  }
}

/** Repeats the operation for as long as the form says, with a line for a person who watches. */
async function performAsAsked<N extends Needs, F extends Fields, Answer extends object>(
  { of, live, news, again, agentsIn }: Way<N, F, Answer>,
  context: CliContext,
  args: Arguments,
  { input, known }: { readonly input: RawInput; readonly known: Known },
): Promise<Answer | Refusal> {
  const door = doorOf(context, of.needs.store, known);
  const line = live === undefined ? null : liveLine(context);
  if (typeof live === "string") line?.show(live);
  let before: object | null = null;
  const call = callOf(context, known, (seen) => {
    const told = news?.(seen, before, context.reading(known.deps?.clock.now().wallMs ?? 0)) ?? null;
    before = seen;
    if (told !== null) line?.say(told);
    if (!line || typeof live !== "function") return;
    line.show(() => live(seen, context.reading(known.deps?.clock.now().wallMs ?? 0)));
    // The line is drawn again each second, then with the handles.
    void context.learnNewNames(agentsIn?.(seen as Answer) ?? []);
  });
  try {
    for (let more: RawInput = {}; ; ) {
      const answer = await perform(of, door, { ...input, ...more }, call);
      const next = isRefusal(answer) ? null : (again?.(answer, context, args) ?? null);
      if (next === null) return answer;
      more = next;
    }
  } finally {
    line?.clear();
  }
}

function worded<N extends Needs, F extends Fields, Answer extends object>(
  way: Way<N, F, Answer>,
  refusal: Refusal,
  { caller }: Known,
  args: Arguments,
): Refusal {
  const next = caller?.isPerson ? way.advise?.(refusal, caller, args) : undefined;
  if (next !== undefined) return { ...refusal, next };
  return asTyped(way, way.reword?.(refusal, args) ?? refusal);
}

/** A refusal of an input says how the line names it. */
function asTyped<N extends Needs, F extends Fields, Answer extends object>(
  { positionals = [] }: Way<N, F, Answer>,
  refusal: Refusal,
): Refusal {
  const { error, message, next, facts } = refusal;
  const { field: refused } = facts;
  if (error !== "invalid_input" || typeof refused !== "string" || typeof next !== "string") return refusal;
  const typed = positionals.find(({ name, field }) => toSnakeCase(field ?? name.replaceAll("-", "_")) === refused);
  if (!typed) return refusal;
  const word = `<${typed.name}>`;
  return {
    ...refusal,
    message: message.replace(`${refused} is `, `${word} is `),
    next: next.replace(`the ${refused} `, `the ${word} `),
  };
}

export function doorOf(context: CliContext, reads: Needs["store"], known: Known): Door {
  return {
    directory: context.path,
    async deps(store) {
      const deps = await context.deps(store);
      if (!isRefusal(deps)) known.deps = deps;
      return deps;
    },
    async caller(_deps, { caller, store }) {
      if (caller === "anyone") return (known.caller = await context.caller());
      const session = await context.session(store);
      if (isRefusal(session)) return session;
      return (known.caller = session.caller);
    },
    async heldTurn(deps, caller, roomId) {
      const turn = context.ports.memory().recallTurn(caller, roomId);
      if (turn) return { leaseId: turn.leaseId, expectedTurnId: turn.turnId };
      return withoutTurn(deps, caller, { roomId, missing: "its lease is not stored here" });
    },
    async identify(deps) {
      const identification = await context.identificationWith(deps);
      known.identification = identification;
      return { identification, ...context.ports.claimBook() };
    },
    isAbout: (deps, caller, room) =>
      context.isAbout({ deps, caller, memory: context.ports.memory(), room, reads: reads === "read" }),
  };
}

/** The commands of one agent share what they remember: its turn, and how far it has read the log. */
export function callOf(context: CliContext, known: Known, onLook: (seen: object) => void): Call {
  const { ports } = context;
  return {
    onLook,
    transport: "cli",
    // Reading these two costs time, so they are read on demand.
    get cancel() {
      return ports.interrupted;
    },
    get afterOutput() {
      return hasOutput(context) ? (taken: InFlight) => void (known.taken = taken) : undefined;
    },
    entered: (deps, caller, roomId) => {
      const room = lastKnown(deps, roomId)?.room;
      if (room) context.isAbout({ deps, caller, memory: ports.memory(), room, reads: false });
    },
    heard: {
      recall: (caller, roomId) => ports.memory().recallCursor(caller, roomId) ?? undefined,
      remember: (caller, roomId, eventSeq) => ports.memory().rememberCursor(caller, roomId, eventSeq),
    },
    turns: {
      known: (caller, roomId) => ports.memory().recallTurn(caller, roomId)?.turnId,
      granted: async (caller, roomId, { turnId, leaseId }) =>
        ports.memory().rememberTurn(caller, roomId, { turnId, leaseId }),
      over: (caller, roomId) => ports.memory().forgetTurn(caller, roomId),
    },
  };
}

/** Mail that cannot be shown stays in the mailbox. */
function hasOutput({ ports }: CliContext): boolean {
  try {
    ports.assertOutput();
    return true;
  } catch {
    return false;
  }
}

function fieldsFrom<N extends Needs, F extends Fields, Answer extends object>(
  { positionals = [], flags = {} }: Way<N, F, Answer>,
  args: Arguments,
): RawInput {
  const fromWords = positionals.flatMap(({ name, field, rest }) =>
    field === undefined ? [] : [[field, rest ? args.rest.join(" ") : args.positional(name)] as const],
  );
  const fromFlags = Object.entries(flags).flatMap(([name, { field }]) =>
    field === undefined ? [] : [[field, args.value(name)] as const],
  );
  return Object.fromEntries([...fromWords, ...fromFlags].filter(([, value]) => value !== undefined));
}
