import * as v from "valibot";

const RegistrationSchema = v.object({
  matcher: v.optional(v.pipe(v.string(), v.description("Which tools or sources it is called for"))),
  hooks: v.array(v.object({ type: v.literal("command"), command: v.string() })),
});

/** What `hook print` prints. */
export const HookSettingsSchema = v.object({ hooks: v.record(v.string(), v.array(RegistrationSchema)) });
