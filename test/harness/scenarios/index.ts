import { afterClear } from "./after-clear.ts";
import { askAnswered } from "./ask-answered.ts";
import { mcpTools } from "./mcp-tools.ts";
import { midTurn } from "./mid-turn.ts";
import { nativeWake } from "./native-wake.ts";
import { oneIdentity } from "./one-identity.ts";
import { resumed } from "./resumed.ts";
import { resumedAfterKill } from "./resumed-after-kill.ts";
import type { Scenario } from "./scenario.ts";
import { sessionBrief } from "./session-brief.ts";
import { terminalWake } from "./terminal-wake.ts";
import { transcriptRead } from "./transcript-read.ts";
import { turnEnd } from "./turn-end.ts";

/** In the order of the table. */
export const SCENARIOS: readonly Scenario[] = [
  mcpTools,
  oneIdentity,
  sessionBrief,
  midTurn,
  turnEnd,
  nativeWake,
  terminalWake,
  transcriptRead,
  askAnswered,
  afterClear,
  resumed,
  resumedAfterKill,
];
