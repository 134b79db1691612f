import { describeThrownAway } from "./support/describe-thrown-away.ts";
import { codex } from "./support/drivers/codex.ts";

describeThrownAway(codex);
