import { describeThrownAway } from "./support/describe-thrown-away.ts";
import { gemini } from "./support/drivers/gemini.ts";

describeThrownAway(gemini);
