import * as v from "valibot";

const Word = v.nullable(v.string());
const Words = v.array(v.string());

/** What `jig craft parse-args` prints. */
export const RunArgumentsSchema = v.pipe(
  v.object({
    config: Word,
    profile: Word,
    skip: Words,
    harness: Words,
    policy: Words,
    flags: v.pipe(v.string(), v.description("The words that were taken out; none without any")),
    brief: v.string(),
  }),
  v.description("The flags and the brief of a run's input: jig craft parse-args"),
);
export type RunArguments = v.InferOutput<typeof RunArgumentsSchema>;
