import * as v from "valibot";
import { ACTIONS, VERDICTS } from "../common/vocabulary.ts";

const Effect = v.picklist(["no-op", "block"]);

/** What `jig craft policy consult` prints. */
export const ConsultationSchema = v.pipe(
  v.object({
    action: v.picklist(ACTIONS),
    verdict: v.picklist(VERDICTS),
    source: v.picklist(["explicit", "default", "preapproved"]),
    surface: v.picklist(["proceed", "ask-then-proceed", "degrade-to-blocker", "refuse"]),
    onRefuse: Effect,
    onDecline: Effect,
    tokens: v.pipe(
      v.object({
        done: v.optional(v.string()),
        approved: v.optional(v.string()),
        declined: v.optional(v.string()),
        refused: v.optional(v.string()),
        degraded: v.optional(v.string()),
      }),
      v.description("The lines of which exactly one is appended to the run record"),
    ),
  }),
  v.description("May this action be done, and how: jig craft policy consult"),
);
export type Consultation = v.InferOutput<typeof ConsultationSchema>;
