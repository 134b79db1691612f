import { wrap } from "../../../words/wrap.ts";
import type { Command } from "../../command.ts";
import type { MarkPlan } from "../../context.ts";
import { EXIT } from "../../exit-codes.ts";
import { granted } from "../../granted.ts";
import { UsageError } from "../../usage-error.ts";

export const init: Command = {
  name: "init",
  roomless: true,
  summary: "mark this workspace, so that agents know the stick is used here",
  details: ["Shows what it would write and asks first. Without a terminal, add --yes."],
  example: "tt init --print",
  positionals: [{ name: "path" }],
  flags: {
    print: { kind: "boolean", help: "only show what would be written" },
    yes: { kind: "boolean", help: "write without asking" },
  },
  async run(context, args) {
    const deps = granted(await context.deps());
    const place = granted(await deps.workspace.locate(context.path));
    const mark = granted(context.ports.planMark(place.workspaceRoot));
    const { plan, carryOut } = mark;
    const planned = plan.map(({ path, what, text }) => ({ path, what, text }));
    const lines = planned.map((write) => writeText(write, context.columns));
    const asks = planned.length > 0 && !args.isSet("print") && !args.isSet("yes");
    const tell = async (written: boolean) => {
      const end =
        planned.length === 0
          ? wrap(`${place.workspaceRoot} is marked already.`, context.columns)
          : outcomeText(written);
      await context.answer({ workspaceRoot: place.workspaceRoot, planned, written }, () =>
        [...(asks ? [] : lines), end].join("\n"),
      );
      return EXIT.done;
    };
    if (planned.length === 0 || args.isSet("print")) return tell(false);
    if (asks) {
      if (!context.ports.terminal.input)
        throw new UsageError("There is no terminal to ask for a yes.", "See the plan with --print, then add --yes.");
      // The question is for the person; standard output holds the answer alone.
      await context.ports.writeError(`${lines.join("\n")}\n`);
      if (!(await context.ports.confirm("Write this?"))) return tell(false);
    }
    const problem = carryOut();
    return problem === null ? tell(true) : context.refuse(problem);
  },
};

/** What is going to be written, word for word. */
function writeText({ path, what, text }: MarkPlan["plan"][number], width: number): string {
  const indent = " ".repeat(4);
  return `${wrap(`${path}: ${what}`, width, "  ")}\n${indent}${wrap(text.trim(), width, indent)}`;
}

function outcomeText(written: boolean): string {
  return written ? "Written." : "Nothing was written.";
}
