// Expressions that a reader whose English is a second language does not understand at first sight, and what to write
// instead. A closer row stands before a general one. The test reads `not` and `but`: the first must be found by its
// row, the second by no row.

export interface Expression {
  /** Case does not matter. */
  readonly pattern: RegExp;
  readonly say: string;
  readonly not: string;
  readonly but: string;
}

const row = (pattern: RegExp, say: string, not: string, but: string): Expression => ({ pattern, say, not, but });

// biome-ignore format: a table has one row on a line
export const EXPRESSIONS: readonly Expression[] = [
  // Telling, hearing, saying
  row(/\bnot told\b/, 'inconclusive, not reported', '31 passed, 1 not told', '31 passed, 1 inconclusive'),
  row(/\b(?:told|tells?|telling) (?:\w+ ){0,2}apart\b/, 'distinguish', 'They cannot be told apart.', 'They cannot be distinguished.'),
  row(/\btells? two stories\b/, 'contradicts itself', 'The members tell two stories.', 'The members contradict each other.'),
  row(/\btold\b/, 'called with, receives, reported to', 'Told of each page read.', 'Called with each page.'),
  row(/\bcan(?:not|’t|'t)? tell\b/, 'can determine, is known', 'Null where it cannot tell.', 'Null where the cause is unknown.'),
  row(/\bhears?\b/, 'receives, is called with', '`graded` hears each grade.', '`graded` is called with each grade.'),
  row(/\bsa(?:y|ys|id|ying) so\b/, 'name the fact: reports it, says that …', 'A report says so once.', 'A report names the store once.'),
  row(/\bsaid aloud\b/, 'reported', 'A deviation is said aloud.', 'A deviation is reported.'),
  row(/\bunsaid\b/, 'not specified', 'How the unsaid is played.', 'How unspecified behaviour is played.'),
  row(/\bsp(?:eak|eaks|oke) (?:of|for)\b/, 'refers to, describes', 'The order that an event speaks of.', 'The order that an event refers to.'),
  row(/\bhung up\b/, 'closed the connection', 'The sender hung up.', 'The sender closed the connection.'),

  // Owning
  row(/\bis (?:its|their|his|your) own\b/, 'is ignored, is kept separate', 'What it throws is its own.', 'Errors thrown here are ignored.'),
  row(/\bof (?:its|their|his|your|our|one’s|one's) own\b/, 'your, a separate, a custom', 'A store of your own.', 'A custom store.'),
  row(/\b(?:an|as) own\b(?! propert)/, 'one of the call’s, a separate', 'Unless an own attempt got lost.', 'Unless one of this call’s attempts got lost.'),
  row(/\bof (?:yours|ours|theirs)\b/, 'your, the package’s', 'A header of yours.', 'One of your headers.'),
  row(/\bown\b(?! propert)/, 'leave it out, or “separate” (an “own property” may stay)', 'The service’s own code.', 'The code of the service.'),

  // Leaving and letting
  row(/\blet(?:s|ting)? (?:it |them |this )?be\b/, 'leave unchanged, advance to', 'Let it be a minute later.', 'Advance the clock by a minute.'),
  row(/\blet expire\b/, 'expired', 'It was let expire.', 'It expired.'),
  row(/\blet(?:s|ting)? go\b/, 'release, discard', 'Lets go of a body.', 'Discards a body.'),
  row(/\bg(?:ive|ives|iven|ave|iving) (?:\w+ ){0,2}back\b/, 'return, release', 'The claim was given back.', 'The claim was released.'),
  row(/\btak(?:e|es|en|ing) (?:\w+ ){0,6}back\b/, 'cancel, undo', 'Takes the timer and the listener back.', 'Cancels the timer and removes the listener.'),
  row(/\bl(?:ead|eads|ed) back\b/, 'redirect', 'A customer would be led back.', 'A customer would be redirected.'),
  row(/\bkeep(?:s|ing)? (?:\w+ )?to (?:itself|themselves)\b/, 'does not report, does not share', 'A hook keeps it to itself.', 'A hook does not report it.'),
  row(/\bhand(?:s|ed|ing)? (?:\w+ )?(?:in|on|over|around|out)\b/, 'pass', 'Tests hand in another clock.', 'Tests pass another clock.'),
  row(/\bthrown on\b/, 'rethrown', 'What it throws is thrown on.', 'The error is rethrown.'),

  // None, no, else
  row(/\b(?:is|are|was|were) none\b/, 'is not a, is not one of, there is no', 'An amount that is none.', 'Text that is not an amount.'),
  row(/(?<!\bthere )\b(?:is|are|was|were) no (?!longer\b|more\b|such\b)(?=[a-z])/, 'is not a', 'A name that is no header name.', 'A name that is not a header name.'),
  row(/(?<!\b(?:any|some|no|every)(?:thing|body|one|where) )(?<!\b(?:what|who) )\belse\b/, 'otherwise', 'Else a body would fill the memory.', 'Otherwise a body would fill the memory.'),
  row(/\bany more\b/, 'no longer', 'It is not ours any more.', 'The claim is no longer held.'),
  row(/\bas good as\b/, 'counts as, equals', 'The claim is as good as none.', 'The claim counts as expired.'),
  row(/\bin vain\b/, 'without a result', 'It was read again in vain.', 'It was read again without a result.'),

  // What something is, comes to, becomes
  row(/\bwhat it (?:is|means) to\b/, 'name the thing', 'Knows what it is to fail.', 'Describes a failure.'),
  row(/\bc(?:omes?|ame|oming) to (?=be\b|rest\b|an end\b|nothing\b)/, 'is created, becomes stable, ends', 'The list does not come to rest.', 'The list keeps changing.'),
  row(/\bwhat (?:[\w’']+ ){1,5}(?:comes|came|come) to\b/, 'the result of', 'What one attempt came to.', 'The result of one attempt.'),
  row(/\bwhat (?:of|is known of|is left of|became of|becomes of|came of)\b/, 'the parts of, the facts about, the rest of, the result of', 'What of the call the answer depends on.', 'The parts of the call that decide the answer.'),
  row(/\bbec(?:ame|omes?|oming) of (?=it|them|the)/, 'the result of, what happened to', 'Shows how many there are, and what has become of it.', 'The result of the webhook.'),
  row(/\b(?:that|what|which) (?:is|was|are|were) there\b/, 'exists', 'The invoice that is there.', 'The invoice that exists.'),
  row(/\bbe(?:en)? there\b/, 'exist', 'The invoice had been there before.', 'The invoice existed before.'),
  row(/\bas (?:it|they|he|she) (?:came|come|comes)\b/, 'as received, unchanged', 'The row as it came.', 'The row as received.'),
  row(/\bas it is to be\b/, 'as it is sent, as it will be', 'The header as it is to be.', 'The header as it is sent.'),
  row(/\bst(?:and|ands|ood) for\b/, 'means, represents', 'A name stands for the fault.', 'A name means the fault.'),
  row(/\bst(?:and|ands|ood|anding) (?:in|under|beside|behind|before|between|at|on|there|alone|where|around)\b/, 'is, is in, precedes', 'The name that stands before the key.', 'The name that precedes the key.'),
  row(/\b(?:standing|stands still|stood still)\b/, 'frozen, stopped', 'A standing clock runs on.', 'A frozen clock starts again.'),
  row(/\btaken for\b|\bt(?:ake|akes|ook) (?:it|them) for\b/, 'treats as, assumes', 'Null is taken for an empty list.', 'Null is treated as an empty list.'),

  // Doing something again, at once, by itself
  row(/\bby (?:itself|themselves)\b/, 'automatically, on its side', 'The invoice expires by itself.', 'The invoice expires automatically.'),
  row(/\bin turn\b/, 'one after the other, alternately', 'Null and absent in turn.', 'Null and absent alternately.'),
  row(/\bg(?:o|oes|oing|one) on\b|\bwent on\b/, 'continue', 'Your function may go on.', 'Your function may continue.'),
  row(/\bg(?:o|oes|one|oing) along\b/, 'is sent too', 'The key would go along.', 'The key would be sent too.'),
  row(/\bunder ?way\b/, 'in progress, running', 'An attempt is under way.', 'An attempt is in progress.'),
  row(/\bin force\b/, 'active', 'The dialects in force.', 'The active dialects.'),
  row(/\bfrom the start\b/, 'initially, when created', 'Faults that exist from the start.', 'Faults that exist initially.'),
  row(/\bfor good\b/, 'finally', 'The call fails for good.', 'The call finally fails.'),
  row(/\bfor ever\b/, 'without limit, indefinitely', 'Records are kept for ever.', 'Records are kept indefinitely.'),
  // People and places that are not there
  row(/\bma(?:de|ke|kes|king) up (?:his|her|its|their|your) minds?\b/, 'decided', 'The customer has made up his mind.', 'The customer has decided.'),
  row(/\bwith a past\b|\bshop[’']s past\b/, 'seeded', 'A shop with a past.', 'A seeded shop.'),
  row(/\bthe house\b/, 'the package, the project', 'The rule of the house.', 'The rule of the package.'),
  row(/\bdoors?\b/, 'entry point, interface', 'The two doors of the service.', 'The two entry points of the service.'),
  row(/\blevers?\b/, 'control, button', 'Pulls a lever afterwards.', 'Presses a button afterwards.'),
  row(/\bfaces of\b/, 'ways to use', 'Four faces of one thing.', 'Four ways to use the sandbox.'),
  row(/\bdress(?:es|ed)?\b/, 'form, shape', 'A refusal in every dress.', 'A refusal in every form.'),
  row(/\bstrangers?\b/, 'an unauthenticated sender, another customer', 'A stranger decides how often.', 'An unauthenticated sender decides how often.'),
  row(/\blosers?\b/, 'a claim that has lost its lease', 'A late loser touches nothing.', 'A claim that has lost its lease changes nothing.'),
  row(/\bwho(?:m)?ever\b/, 'name the actor: the caller, the code that', 'Whoever runs the parts reports.', 'The code that runs the parts reports.'),
  row(/\b(?:some|no|every)body\b/, 'name the actor: another process, no caller', 'Somebody else holds the lock.', 'Another process holds the lock.'),
  row(/\bway(?:s)? out\b/, 'remedy, exit', 'The error names the way out.', 'The error names the remedy.'),
  row(/\bin the way\b(?! that\b| of\b| in\b)/, 'blocks, holds the lock', 'A reader is in the way.', 'A reader holds the lock.'),
  row(/\bappointments?\b/, 'scheduled task', 'Forgets all appointments.', 'Removes all scheduled tasks.'),
  row(/\bat leisure\b/, 'at any time', 'It can be replayed at leisure.', 'It can be replayed at any time.'),
  row(/\bthe afternoon\b/, 'minutes', 'It would take the afternoon.', 'It would take minutes.'),

  // Verbs and adjectives that mean something plainer
  row(/\bmend(?:s|ed|ing)?\b/, 'fix, correct', 'The command that mends it.', 'The command that fixes it.'),
  row(/\bspoil(?:s|t|ed|ing)?\b/, 'invalidate, change', 'The fault spoilt this delivery.', 'The fault invalidated this delivery.'),
  row(/\bstr(?:ike|ikes|iking|uck)\b/, 'applies to', 'Queued faults strike first.', 'Queued faults apply first.'),
  row(/\b(?:waits? for )?(?:what|that) (?:it|one|they) fits?\b/, 'the first matching request', 'The fault waits for what it fits.', 'The fault applies to the first matching request.'),
  row(/\bforg(?:ive|ives|iven|ave|iving)\b/, 'accept, tolerate', 'A new field is forgiven.', 'A new field is accepted.'),
  row(/\bdepart(?:s|ed|ing|ures?)?\b/, 'deviate, deviation', 'The answer departs from the interface.', 'The answer deviates from the interface.'),
  row(/\bbeside the interface\b/, 'that the interface does not describe', 'What it answers beside the interface.', 'A member that the interface does not describe.'),
  row(/\bbesides?\b/, 'next to, in addition to', 'The reason is beside it.', 'The reason is next to it.'),
  row(/\bh(?:old|olds|eld|olding) (?:it |them |(?:the|a) \w+ )?up\b/, 'block, delay', 'It must not hold the process up.', 'It must not block the process.'),
  row(/\bbr(?:ing|ings|ought|inging) nothing\b/, 'has no new items', 'The page brings nothing new.', 'The page has no new items.'),
  row(/\bbr(?:ing|ings|ought|inging) (?:it|them) (?:back|again)\b/, 'restore, repeat', 'A reset brings them back.', 'A reset restores them.'),
  row(/\bset off\b|\bsets off\b/, 'starts', 'What a receiver sets off.', 'The calls that a receiver starts.'),
  row(/\bin silence\b/, 'without an error', 'It is ignored in silence.', 'It is ignored without an error.'),
  row(/\bquiet default\b/, 'default', 'The rest has a quiet default.', 'The rest has a default.'),
  row(/\bnonsense\b/, 'an invalid value', 'Nonsense is 1.', 'An invalid value is 1.'),
  row(/\bplainly\b/, 'clearly, certainly', 'What is plainly wrong.', 'A member is clearly wrong.'),
  row(/\bsurely\b/, 'certainly, exactly', 'It is surely exact.', 'It is certainly exact.'),
  row(/\balike\b/, 'in the same way, both', 'Both sides are read alike.', 'Both sides are read in the same way.'),
  row(/\bto the (?:letter|digit)\b/, 'exactly', 'The code to the letter.', 'The exact code.'),
  row(/\bby chance\b/, 'at random', 'A value chosen by chance.', 'A value chosen at random.'),
  row(/\bchance\b/, 'probability, randomness', 'Waits differ by some chance.', 'Waits are randomised.'),
  row(/\bno harm\b/, 'is harmless', 'Repeats do no harm.', 'Repeats are harmless.'),
  row(/\b(?:at the most)\b/, 'at most', 'One minute at the most.', 'At most one minute.'),
  row(/\bsome (?=\d|(?:two|three|ten|twenty|thirty|forty|fifty|six|hundred|thousand)\b)/, 'about', 'Sends some thirty deliveries.', 'Sends about thirty deliveries.'),
  row(/\bso (?:many|often)\b(?! that\b)/, 'this many, a stated number', 'So many rows are no history.', 'This many rows are not a history.'),
  row(/(?<=^\s*|[.!?] )bounded:/, 'a sentence: “Bounded, because …”', 'Bounded: the memory is small.', 'Bounded, because the memory is small.'),
  row(/\bbacks? slash(?:es)?\b/, 'backslash', 'Eighteen back slashes.', 'Eighteen backslashes.'),
  row(/\bblanks?\b/, 'space', 'Text without blanks around it.', 'Text without spaces around it.'),
  row(/\btime-outs?\b/, 'timeout', 'A time-out of one attempt.', 'A timeout of one attempt.'),
  row(/\bjudg(?:e|es|ed|ing)\b/, 'check, decide, compare', 'A receiver judges the age.', 'A receiver checks the age.'),
  row(/\b(?:is|are|was|were|has|have|had) (?:gone|over)\b/, 'has ended, is no longer available', 'The lease is over.', 'The lease has ended.'),
  row(/\ball the same\b/, 'nevertheless, also', 'It is read all the same.', 'It is read nevertheless.'),
  row(/\b(?:his|him|her)\b/, 'their', 'The customer pays his part.', 'The customers pay their part.'),
  row(/^\s*what\b(?=[^?]*\.)/, 'a noun first: “The result of …”, “The options that …”', 'What a resource needs.', 'The requirements of a resource.'),
];
