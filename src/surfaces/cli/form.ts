/**
 * A command that is one form of an operation: which words and flags give which fields, and how the answer reads. The
 * operation decodes, finds the room and does the work.
 */
import type { Fields, RawInput } from "../../core/field.ts";
import { isRefusal, type Refusal } from "../../core/refusal.ts";
import { lastKnown } from "../../engine/commit.ts";
import type { Deps } from "../../engine/deps.ts";
import type { Call, Needs, Operation } from "../../engine/operation.ts";
import type { Caller } from "../../session/rules/decision-input.ts";
import type { Identification } from "../../session/rules/identity.ts";
import { type Door, perform } from "../door.ts";
import type { Arguments, Command, Flag, FlagKind, Positional } from "./command.ts";
import type { CliContext } from "./context.ts";
import { EXIT } from "./exit-codes.ts";

/** The field that a flag or a word gives. A flag's kind follows from the field unless it is said. */
type FormFlag<F extends Fields> = Omit<Flag, "kind"> & { readonly kind?: FlagKind; readonly field?: keyof F & string };
type FormPositional<F extends Fields> = Positional & { readonly field?: keyof F & string };

/** What a text may need besides the answer. */
export interface Shown {
  readonly context: CliContext;
  readonly caller: Caller | null;
  /** For operations that judge the evidence about their caller. */
  readonly identification: Identification | null;
  readonly deps: Deps;
  readonly nowMs: number;
}

export interface CliForm<N extends Needs, F extends Fields, Answer extends object> {
  readonly words: string;
  readonly of: Operation<N, F, Answer>;
  readonly summary: string;
  readonly details?: readonly string[];
  readonly example: string;
  readonly positionals?: readonly FormPositional<F>[];
  readonly flags?: Readonly<Record<string, FormFlag<F>>>;
  readonly hidden?: boolean;
  readonly roomless?: boolean;
  /** Input that neither a word nor a flag gives by itself. */
  readonly gather?: (context: CliContext, args: Arguments) => RawInput | Refusal | Promise<RawInput | Refusal>;
  /** A person may do what is refused to agents: what to tell it instead. */
  readonly advise?: (refusal: Refusal, caller: Caller, args: Arguments) => string | undefined;
  readonly text: (answer: Answer, shown: Shown) => string;
}

export function form<N extends Needs, F extends Fields, Answer extends object>(
  definition: CliForm<N, F, Answer>,
): Command {
  const { words, of, summary, details, example, positionals = [], flags = {}, hidden, roomless } = definition;
  return {
    name: words,
    of: of.name,
    summary,
    example,
    positionals,
    flags: Object.fromEntries(Object.entries(flags).map(([name, flag]) => [name, flagOf(of.input, flag)])),
    ...(details && { details }),
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

async function runForm<N extends Needs, F extends Fields, Answer extends object>(
  definition: CliForm<N, F, Answer>,
  context: CliContext,
  args: Arguments,
): Promise<number> {
  const { of, gather, advise, text } = definition;
  const gathered = gather ? await gather(context, args) : {};
  if (isRefusal(gathered)) return context.refuse(gathered);
  const room = of.needs.room === "none" ? {} : { roomId: args.text("room") };
  const known: Known = { caller: null, identification: null, deps: null };
  const door = doorOf(context, of.needs.store, known);
  const input = { ...room, ...fieldsFrom(definition, args), ...gathered };
  const answer = await perform(of, door, input, callOf(context));
  if (isRefusal(answer)) {
    const next = known.caller?.isPerson ? advise?.(answer, known.caller, args) : undefined;
    return context.refuse(next === undefined ? wayIn(answer, of, args) : { ...answer, next });
  }
  const deps = known.deps as Deps;
  const told = (shown: Answer) => text(shown, { context, ...known, deps, nowMs: deps.clock.now().wallMs });
  await context.answer(answer, told);
  return EXIT.done;
}

/** A reader that looks for the directory's room and finds none is told the command that creates one. */
function wayIn(refusal: Refusal, { needs }: Pick<Operation, "needs">, args: Arguments): Refusal {
  const isMissing = refusal.error === "room_not_found" && args.text("room") === undefined && needs.room === "existing";
  return isMissing ? { ...refusal, next: "Make one with: tt join" } : refusal;
}

/** What a call learned on its way. */
interface Known {
  caller: Caller | null;
  identification: Identification | null;
  deps: Deps | null;
}

function doorOf(context: CliContext, reads: Needs["store"], known: Known): Door {
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
    async identify(deps) {
      const identification = await context.identificationWith(deps);
      known.identification = identification;
      return { identification, ...context.ports.claimBook() };
    },
    isAbout: (deps, caller, room) =>
      context.isAbout({ deps, caller, memory: context.ports.memory(), room, reads: reads === "read" }),
  };
}

/** The commands of one agent remember its turn from one to the next. */
function callOf(context: CliContext): Call {
  return {
    entered: (deps, caller, roomId) => {
      const room = lastKnown(deps, roomId)?.room;
      if (room) context.isAbout({ deps, caller, memory: context.ports.memory(), room, reads: false });
    },
    turns: {
      granted: async (caller, roomId, turn) => context.ports.memory().rememberTurn(caller, roomId, turn),
      over: (caller, roomId) => context.ports.memory().forgetTurn(caller, roomId),
    },
  };
}

function fieldsFrom<N extends Needs, F extends Fields, Answer extends object>(
  { positionals = [], flags = {} }: CliForm<N, F, Answer>,
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
