import { describeThrownAway } from "./support/describe-thrown-away.ts";
import { claude } from "./support/drivers/claude.ts";

describeThrownAway(claude);
