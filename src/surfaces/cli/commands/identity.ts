/** Who am I: whoami, name, claim. */
import { isRefusal } from "../../../core/refusal.ts";
import { nameMyself } from "../../../room/name-myself.ts";
import { type Claimed, claimSession, forgetClaim } from "../../../session/claim-session.ts";
import { getMySession, type MySession } from "../../../session/get-my-session.ts";
import type { Identity, StrategyOutcome } from "../../../session/rules/identity.ts";
import { field, wrap } from "../../words/wrap.ts";
import type { Command } from "../command.ts";
import type { CliContext } from "../context.ts";
import { EXIT } from "../exit-codes.ts";
import { form } from "../form.ts";
import { granted } from "../granted.ts";
import { IDENTITY_SOURCE_LABELS } from "../text/identity-source-labels.ts";
import { UsageError } from "../usage-error.ts";

const whoamiForm = form({
  words: "whoami",
  of: getMySession,
  summary: "who you are here, and with --explain by which evidence",
  example: "tt whoami --explain",
  flags: { explain: { kind: "boolean", help: "what every kind of evidence said" } },
  gather: (_context, args) => ({ explain: args.isSet("explain") }),
  text: (session, { context }) => sessionText(context, session),
});

export const whoami: Command = {
  ...whoamiForm,
  async run(context, args) {
    const wantsText = args.isSet("explain") && !(await context.wantsJson());
    const known = wantsText ? await context.identification() : null;
    // A person who cannot be named needs the reasons most.
    if (known && !isRefusal(known) && isRefusal(known.identity))
      await context.ports.writeOut(strategyText(context, known.strategies));
    return whoamiForm.run(context, args);
  },
};

function sessionText(context: CliContext, session: MySession): string {
  const { columns } = context;
  const proof = session.verified ? "" : ", provisional until its session is known";
  const lines = [
    wrap(`You are ${session.agentId}${session.handle === null ? "" : `, called ${session.handle}`}.`, columns),
    field("known by", `${IDENTITY_SOURCE_LABELS[session.idSource]}${proof}`, columns, ""),
    field("session", session.sessionId ?? "none", columns, ""),
    field("room", session.roomId ?? `none here; join with: ${context.tt} join`, columns, ""),
    ...(session.next === undefined ? [] : [field("next", context.wordsOf(session.next), columns, "")]),
  ];
  if (session.strategies) lines.push("", strategyText(context, session.strategies).trimEnd());
  return lines.join("\n");
}

function strategyText({ paint, columns }: CliContext, strategies: readonly StrategyOutcome[]): string {
  const indent = " ".repeat(26);
  return strategies
    .map(({ name, outcome, reason }) => {
      const mark = outcome === "hit" ? paint.green("found   ") : paint.dim("not used");
      return `${mark} ${name.padEnd(16)} ${wrap(reason, columns, indent)}\n`;
    })
    .join("");
}

export const name = form({
  words: "name",
  of: nameMyself,
  summary: "choose the handle the others call you by",
  example: "tt name parser-expert",
  positionals: [{ name: "handle", field: "handle", required: true }],
  text: ({ handle }) => `You are called ${handle} now.`,
});

const claimForm = form({
  words: "claim",
  of: claimSession,
  roomless: true,
  summary: "say which session this process belongs to, if tt cannot find out",
  details: [
    "It cannot contradict the harness. Once made, it stays, whatever the harness says later, until another claim,",
    "--forget, or a hook that reports another session in the same process.",
  ],
  example: "tt claim 3f1c9a52-7d1e-4a6b-9a55-0c2f6f1f2a11",
  positionals: [{ name: "session-id", field: "sessionId" }],
  flags: {
    harness: {
      field: "harness",
      value: "NAME",
      help: "the harness of the session, if tt cannot tell",
    },
    forget: { kind: "boolean", help: "undo the claim made here" },
  },
  text: (claimed, { context, identification }) => claimedText(context, claimed, identification?.told ?? null),
});

export const claim: Command = {
  ...claimForm,
  run(context, args) {
    if (args.isSet("forget") === (args.positional("session-id") !== undefined))
      throw new UsageError("tt claim needs a <session-id>, or --forget alone.", "See an example with: tt claim --help");
    return args.isSet("forget") ? takeBack(context) : claimForm.run(context, args);
  },
};

function claimedText({ columns }: CliContext, { agentId, sessionId }: Claimed, told: Identity | null): string {
  if (told?.sessionId === sessionId)
    return wrap(`You are ${agentId}, session ${sessionId}, as ${told.harness} itself says.`, columns);
  return `${wrap(`This is session ${sessionId} from now on; you are ${agentId}.`, columns)}\nUndo it with: tt claim --forget`;
}

/** Says also who the caller is without the claim; null when nothing else tells. */
async function takeBack(context: CliContext): Promise<number> {
  const deps = granted(await context.deps("change"));
  const { forgotten } = forgetClaim(context.ports.claimBook(), await context.identificationWith(deps));
  const { identity } = await context.ports.identify(context.args.text("agent"), deps);
  const agentId = isRefusal(identity) ? null : identity.agentId;
  await context.answer({ forgotten, agentId }, () => {
    const now = agentId === null ? "" : ` You are ${agentId}.`;
    return forgotten ? `Forgotten.${now}` : `Nothing was claimed here.${now}`;
  });
  return EXIT.done;
}
