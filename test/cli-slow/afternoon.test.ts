import { it } from "vitest";
import { CliWorld } from "../cli/support/cli-world.ts";
import { Terminals } from "../cli/support/terminal.ts";

it("scratch", async () => {
  const world = new CliWorld();
  const terminals = new Terminals(world);
  const you = terminals.open("you", { TT_GONE_GRACE_MS: "500" });
  const harness = world.startProgram("sleep", ["1000"]);
  const codex = terminals.open("codex", { TT_AGENT_ID: "codex:1", TT_AGENT_PID: String(harness.pid), PS1: "codex$ " });
  const log: string[] = [];
  const shot = (title: string, screen: string) => log.push(`===== ${title}\n${screen}`);
  shot("tt", await you.run("tt"));
  shot("join", await you.run("tt join"));
  shot("try", await you.run("tt try"));
  codex.type('clear; tt wait; echo "[$?]"');
  shot("waiting", await codex.until(/Waiting/));
  shot("you see", await you.run("tt; tt state"));
  shot("release without", await you.run("tt release"));
  shot("pass to nobody", await you.run("tt pass gemini --status x --next-action y"));
  shot(
    "release",
    await you.run(
      "tt release --status 'the parser reads every fixture' --next-action 'write the tests for it' --artifact src/parser.ts:1-40:review --do-not 'rename parse()'",
    ),
  );
  shot("codex has", await codex.until(/^\[0\]\ncodex\$/m));
  shot("you after", await you.run("tt"));
  codex.type('clear; tt pass human --status a --next-action b; echo "[$?]"');
  shot("pass unreachable", await codex.until(/^\[\d+\]\ncodex\$/m));
  you.type('clear; tt listen; echo "[$?]"');
  shot("listening", await you.until(/Listening/));
  codex.type('clear; tt pass human --status a --next-action b; echo "[$?]"');
  shot("pass", await codex.until(/^\[\d+\]\ncodex\$/m));
  shot("you heard", await you.until(/^\[0\]\n\$/m));
  await you.run("tt release --status done --next-action 'go on'");
  codex.type("clear; tt try; tt notes add 'fixture 7 is wrong on purpose'; echo \"[$?]\"");
  shot("codex tries", await codex.until(/^\[\d+\]\ncodex\$/m));
  you.type('clear; tt wait; echo "[$?]"');
  await you.until(/Waiting/);
  harness.kill("SIGKILL");
  shot("codex is gone", await you.until(/^\[4\]\n\$/m));
  shot("glance", await you.run("tt"));
  shot("doctor", await you.run("tt doctor"));
  shot("take", await you.run("tt take --reason 'codex was killed'"));
  shot("notes", await you.run("tt notes"));
  shot("events", await you.run("tt events --after 6"));
  shot("list", await you.run("tt list --all; tt whoami --explain"));
  shot("kick", await you.run("tt kick codex:1 --reason 'its terminal was closed'"));
  shot("leave", await you.run("tt leave; tt"));
  codex.type('clear; tt try; echo "[$?]"');
  await codex.until(/^\[\d+\]\ncodex\$/m);
  you.type('clear; tt wait; echo "[$?]"');
  await you.until(/Waiting/);
  you.press("C-c");
  shot("ctrl-c", await you.until(/^\[130\]\n\$/m));
  you.type('clear; tt init; echo "[$?]"');
  shot("init asks", await you.until(/y\/N/));
  you.type("n");
  shot("init", await you.until(/^\[\d\]\n\$/m));
  shot("close", await you.run("tt close; tt close --operator-requested; tt"));
  console.log(log.join("\n"));
});
