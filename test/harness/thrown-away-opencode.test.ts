import { describeThrownAway } from "./support/describe-thrown-away.ts";
import { opencode } from "./support/drivers/opencode.ts";

describeThrownAway(opencode);
