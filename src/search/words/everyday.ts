/**
 * Questions of everyday life, from many fields, which hardly any corpus answers.
 * What becomes of them tells how much it means what becomes of another question.
 * A change of them makes other thresholds.
 */
export const EVERYDAY_QUESTIONS: readonly string[] = [
  'how long should I boil an egg',
  'which countries border Switzerland',
  'who composed the four seasons',
  'can cats eat cheese',
  'best time of the year to plant tulips',
  'how far away is the moon',
  'who won the world cup that year',
  'what to wear at a summer wedding',
  'lyrics of a lullaby about stars',
  'how to get red wine out of a carpet',
  'why does my knee hurt when I climb stairs',
  'train from Lisbon to Porto on a Sunday',
  'recipe for lentil soup with cumin',
  'how do bees make honey',
  'what causes the tides',
  'names of the planets in order',
  'how to fold a paper crane',
  'is it going to snow on the weekend',
  'when did the Roman empire fall',
  'symptoms of a vitamin deficiency',
  'how to tune a violin',
  'cheap hotels near the beach with breakfast',
  'what does the heart do',
  'how to change a bicycle tyre',
  'difference between a novel and a novella',
  'how tall do giraffes become',
  'exercises against back pain',
  'who was the first woman in space',
  'how to teach a child to swim',
  'what is a sonnet',
  'price of gold last week',
  'how to grow mushrooms in a cellar',
];
