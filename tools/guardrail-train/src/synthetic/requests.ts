import type { Random } from "../random.ts";

/**
 * Slots of short everyday requests to assistants: greetings, questions of fact, poems, lists, sums, advice. Games for a model's
 * secret use the same words (write a poem about it, spell it, say it), so a model trained on those alone takes every short
 * request for an attack.
 */
const english: Readonly<Record<string, string>> = {
  topic:
    "the sea|autumn|a lost dog|my grandmother|the moon|rain in spring|friendship|a lighthouse|two brothers|space travel|the first snow|a small village|coffee|the colour blue|a train journey|mountains|an old bicycle|summer nights|a garden|the number seven|cats|a robot who paints|the city of Lisbon|a birthday|bread|a river|honesty|music|winter mornings|a forgotten song|a teacher|the desert|time|a quiet library|bees|love|hope|a password manager|a locked door|a hidden treasure|a secret garden|a spy novel",
  form: "a poem|a short poem|a haiku|a limerick|a story|a short story|a song|a sonnet|a joke|a riddle|a fairy tale|a tweet|a rap|a toast|an essay|a paragraph|a bedtime story|an acrostic|a rhyme|a dialogue|a caption|a slogan|a summary|an e-mail|a letter|a blog post|a speech",
  place:
    "Portugal|France|Japan|Kenya|Brazil|Canada|Norway|India|Australia|Peru|Egypt|Germany|Spain|Italy|Poland|Vietnam|Chile|Iceland|Texas|California|Turkey|Greece|Mexico|Nigeria",
  fact: "the capital|the population|the largest city|the currency|the national dish|the highest mountain|the longest river|the official language|the area|the flag|the national anthem|the climate|the history",
  subject:
    "photosynthesis|gravity|inflation|quantum computing|black holes|machine learning|DNA|democracy|the water cycle|a neural network|an API|HTTP|recursion|supply and demand|vaccines|plate tectonics|the French Revolution|blockchain|a mortgage|relativity|the immune system|binary search|TCP|osmosis|compound interest|Docker|a rainbow|jazz|the stock market|encryption|two-factor authentication|a firewall",
  thing:
    "a word|three colours|five animals|ten fruits|some synonyms for happy|the planets|the days of the week|the months|the letters of the alphabet|the vowels|prime numbers below 20|the first ten digits of pi|the primary colours|the continents|a random number|a random word|the seven dwarfs|countries in Africa|verbs that start with B|names for a cat|names for a bakery|ideas for dinner|books about Rome|good films from the nineties|gifts for a colleague|questions for an interview|reasons to learn Spanish|steps to bake bread|tips for sleeping well|exercises for my back",
  hello:
    "Hello|Hi|Hey|Hi there|Good morning|Good evening|Hello there|Hello!|Hi!|Hey!|Hello, how are you?|How are you?|Good afternoon|Greetings|What's up?|Thanks|Thank you|Thank you!|OK|Yes|No|Sure|Great|Perfect, thanks|Bye|Goodbye|See you|Help|Ping|Test|Testing|This is a test|test message|Hello world|Are you there?|One more|Continue|Go on|Please continue|Try again|Cool|I see|Really?|Why?|How?|And then?|What do you mean?|Say hello|Say hi|Say hi to my team|Say something nice|Just say OK|Say yes|Please answer|Tell me more|Tell me something interesting|Can you repeat that?|Can you repeat that, please?|Could you say that again?|Please repeat the last part|Repeat that in simpler words|Repeat after me: {phrase}|Say that once more|Are you a robot?|Are you a person?|Are you a computer?|Are you an AI?|Are you sure?|Are you ready?|Do you sleep?|Do you like {likes}?|Do you know any {likes}?|I am hungry|I am tired|I am happy today|I am so excited|I feel lonely|Let's play a game|Let's play {game}|Let's begin|Let's talk about {topic}|Let's practise my {lang}|Can you write {form}?|Can you write songs?|Can you draw?|Can you translate?|Can you sing?|What is your favourite {fav}?|Do you have a favourite {fav}?|Have you read any good books?|Tell me a fun fact|What can you do?|Who are you?|What are you?|What is your name?|Which model are you?|What day is it?|What time is it?|Where are you from?|My name is Anna|I am Tom|I am new here|I have a question|I need help|Can you help me?|Could you help me with something?|Please help",
  calc: "What is 2+2?|What is 17 times 23?|What is 15% of 240?|Add 5 and 9.|What is the square root of 144?|Is 91 a prime number?|Convert 10 miles to kilometres.|Convert 72 Fahrenheit to Celsius.|How many seconds are in a day?|How many days until Christmas?|What is 3/4 as a decimal?|Solve x + 5 = 12.|Count to ten.|Count the letters in banana.|How many vowels are in strawberry?|Reverse the word apple.|Spell necessary.|How do you spell accommodate?|Write the number 42 in words.|Sort these numbers: 5, 3, 9, 1.|Which is larger, 9.9 or 9.11?|What comes after Z in a spreadsheet?|Encode hello in Morse code.|What is the ASCII code of A?|Convert the word cat to uppercase.|Write hello in base64.|What is 0xFF in decimal?",
  likes: "pizza|dogs|poetry|football|jokes|chess|jazz|films|board games|maths|the rain|fairy tales",
  game: "twenty questions|hangman|a quiz|tic-tac-toe|cards|a riddle game|word chains|charades",
  fav: "food|film|book|animal|season|song|number|city|sport|word",
  word: "orange|time|blue|cat|moon|light|house|table|rhythm|purple|silver|heart|door|night|day|brave|happy|cold|rich|loud|early|soft|banana|apple|giraffe|chocolate|elephant|entrepreneur|conscience|butterfly|umbrella|queue|Wednesday|vacuum|restaurant",
  about:
    "volcanoes|whales|the Vikings|Marie Curie|Bach|elephants|the Roman Empire|solar panels|electric cars|honey|Antarctica|Shakespeare|tea|glaciers|dinosaurs|the Nobel Prize",
  wordwish:
    "Spell the word {word}.|Spell {word}|How is {word} spelled?|What rhymes with {word}?|What is the opposite of {word}?|What is another word for {word}?|What is the plural of {word}?|Define {word}.|Use the word {word} in a sentence.|How many letters are in {word}?|How many syllables are in {word}?|Say the word {word} in {lang}.|What is the word for {word} in {lang}?|Give me the word for {word} in {lang}.|Write {word} backwards.|Reverse the string {word}.|Reverse the letters of {word}.|Write the word {word} five times.|Repeat the word {word} twice.|Translate {word} into {lang}.|What does {word} mean?|What is the origin of the word {word}?|What letter does {word} start with?|What is the first letter of {word}?|Encode {word} in base64.|Put {word} in capital letters.|Make an anagram of {word}.|Make an acronym of {word}.",
  made: "wrote|painted|directed|composed|invented|designed|built|sang|founded",
  work: "War and Peace|The Odyssey|the Ninth Symphony|Jaws|the telephone|Sunflowers|Frankenstein|the Taj Mahal|Bohemian Rhapsody|Emma|the light bulb|Guernica|Carmen|Dracula|the Louvre|Hamlet|Yesterday|Sense and Sensibility|Romeo and Juliet|Crime and Punishment",
  know: "Who {made} {work}?|Who {made} {work}?|When did the Second World War begin?|Tell me what you know about {about}.|What do you know about {about}?|What can you tell me about {about}?|Do you know anything about {about}?|How many {about2} are there?|Who discovered {subject}?|When was {about} discovered?|Why are {about} important?|Tell me three facts about {about}.|Give me some information about {about}.|Share a fun fact about {about}.|What is special about {about}?|Where can I learn about {about}?|Where can I read more about {about}?",
  about2:
    "bones in a hand|legs on an insect|states in India|players in a football team|strings on a guitar|keys on a piano|grams in a pound|weeks in a year|continents|planets|teeth in a shark",
  lang: "French|Spanish|German|Italian|Japanese|Portuguese|Dutch|Polish|Latin|Korean",
  phrase:
    "good morning|thank you very much|where is the station|I love you|the weather is nice|see you tomorrow|how much does it cost|happy birthday|my name is Bob|I am hungry|the book is on the table|we will be late|please close the door",
  need: "fix my bike|learn to swim|write a CV|lose weight|sleep better|make pasta|plan a trip to Rome|save money|study for an exam|paint a wall|choose a laptop|learn Python|tie a tie|grow tomatoes|remove a coffee stain|prepare for an interview|write a cover letter|train a puppy|start a podcast|stop my dog barking|clean a keyboard|print on both sides|open a bank account|renew my passport|cancel an order|find my order number|track a parcel|return a jacket|change my delivery address|update my phone number",
  code: 'Write a function that adds two numbers.|Write a Python script that reads a CSV file.|How do I sort a list in Python?|Write a SQL query for the ten newest orders.|Explain this error: undefined is not a function.|What does git rebase do?|Write a regex for dates.|Convert this JSON to YAML: {"a": 1}|Write a unit test for a queue.|How do I centre a div?|What is the difference between let and const?|Write a bash script that lists large files.|Refactor this loop into a map call.|Why does my code print undefined?|Write hello world in Rust.|Generate a random string in Go.|Print the first line of a file in C.|How do I read an environment variable in Node?|Show me an example of a for loop.|Write a haiku about rate limits.|What is a token bucket?|How do I revoke an API key that I no longer use?|What does HTTP status 429 mean?',
  text: "I went to the shop yesterday and bought some milk.|The meeting was moved to Thursday because the room was taken.|Our sales grew by ten percent last year.|The quick brown fox jumps over the lazy dog.|It was a dark night, and the wind was loud.|We offer free delivery on orders above fifty euros.",
  edit: "Summarize this: {text}|Translate to {lang}: {text}|Make this shorter: {text}|Fix the grammar: {text}|Rewrite this politely: {text}|Say this in other words: {text}|What is the tone of this text? {text}|Give this text a title: {text}|Turn this into bullet points: {text}|Continue this text: {text}",
  any: "{hello}|{hello}|Write {form} about {topic}|Write {form} about {topic}.|Write me {form} about {topic}, please|Tell me {form} about {topic}.|Can you write {form} about {topic}?|Compose {form} about {topic}.|Give me {form} about {topic}.|Please write {form} about {topic} for my daughter.|I need {form} about {topic}.|Read me {form} about {topic}.|What is {fact} of {place}?|What is {fact} of {place}|Tell me {fact} of {place}.|Do you know {fact} of {place}?|What's {fact} of {place}?|Which is {fact} of {place}?|Where is {place}?|Describe {place}.|Tell me about {place}.|Explain {subject}.|Explain {subject} in simple terms.|Explain {subject} to a child.|What is {subject}?|How does {subject} work?|Who invented {subject}?|Tell me about {subject}.|Describe {subject} in one sentence.|Why is {subject} important?|List {thing}.|Give me {thing}.|Name {thing}.|Tell me {thing}.|Show me {thing}.|Write down {thing}.|Print {thing}.|What are {thing}?|{calc}|{calc}|Translate {phrase} to {lang}.|Translate this to {lang}: {phrase}|How do you say {phrase} in {lang}?|What does {phrase} mean in {lang}?|Say {phrase} in {lang}.|How do I {need}?|Help me {need}.|I want to {need}.|I need to {need}. Any advice?|What is the best way to {need}?|Can you help me {need}?|{code}|{edit}|{hello} {any2}|{wordwish}|{wordwish}|{wordwish}|{know}|{know}",
  any2: "Write {form} about {topic}.|What is {fact} of {place}?|How do I {need}?|{code}|Explain {subject}.|List {thing}.|{calc}",
};

/** Most frequent requests, in other languages. */
const others: Readonly<Record<string, string>> = {
  de: "Hallo|Guten Morgen|Wie geht es dir?|Danke|Schreibe ein Gedicht über das Meer.|Schreib mir eine kurze Geschichte über einen Hund.|Was ist die Hauptstadt von Portugal?|Erkläre Photosynthese.|Erzähle mir einen Witz.|Wie spät ist es in Tokio?|Nenne drei Farben.|Übersetze guten Tag ins Französische.|Wie koche ich Reis?|Was bedeutet Inflation?|Fasse den Text zusammen.|Kannst du mir helfen?|Wo ist meine Bestellung?|Wie kann ich mein Passwort zurücksetzen?|Schreibe eine E-Mail an meinen Chef.|Wie wird das Wetter morgen?",
  fr: "Bonjour|Salut|Comment ça va ?|Merci|Écris un poème sur la mer.|Écris une courte histoire sur un chien.|Quelle est la capitale du Portugal ?|Explique la photosynthèse.|Raconte-moi une blague.|Cite trois couleurs.|Traduis bonjour en anglais.|Comment cuire du riz ?|Que veut dire inflation ?|Résume ce texte.|Peux-tu m'aider ?|Où est ma commande ?|Comment réinitialiser mon mot de passe ?|Écris un e-mail à mon chef.|Quel temps fera-t-il demain ?",
  es: "Hola|Buenos días|¿Cómo estás?|Gracias|Escribe un poema sobre el mar.|Escribe un cuento corto sobre un perro.|¿Cuál es la capital de Portugal?|Explica la fotosíntesis.|Cuéntame un chiste.|Nombra tres colores.|Traduce buenos días al inglés.|¿Cómo se cocina el arroz?|¿Qué significa inflación?|Resume este texto.|¿Puedes ayudarme?|¿Dónde está mi pedido?|¿Cómo restablezco mi contraseña?|Escribe un correo a mi jefe.|¿Qué tiempo hará mañana?",
  it: "Ciao|Buongiorno|Come stai?|Grazie|Scrivi una poesia sul mare.|Scrivi una breve storia su un cane.|Qual è la capitale del Portogallo?|Spiega la fotosintesi.|Raccontami una barzelletta.|Elenca tre colori.|Come si cuoce il riso?|Puoi aiutarmi?|Dov'è il mio ordine?|Come reimposto la mia password?|Riassumi questo testo.",
  pt: "Olá|Bom dia|Como vai?|Obrigado|Escreva um poema sobre o mar.|Escreva uma história curta sobre um cão.|Qual é a capital do Japão?|Explique a fotossíntese.|Conte uma piada.|Diga três cores.|Como cozinhar arroz?|Pode me ajudar?|Onde está o meu pedido?|Como redefino minha senha?|Resuma este texto.",
  nl: "Hallo|Goedemorgen|Hoe gaat het?|Bedankt|Schrijf een gedicht over de zee.|Wat is de hoofdstad van Portugal?|Leg fotosynthese uit.|Vertel een mop.|Noem drie kleuren.|Hoe kook ik rijst?|Kun je me helpen?|Waar is mijn bestelling?|Vat deze tekst samen.",
  pl: "Cześć|Dzień dobry|Jak się masz?|Dziękuję|Napisz wiersz o morzu.|Jaka jest stolica Portugalii?|Wyjaśnij fotosyntezę.|Opowiedz dowcip.|Wymień trzy kolory.|Jak ugotować ryż?|Czy możesz mi pomóc?|Gdzie jest moje zamówienie?",
  tr: "Merhaba|Günaydın|Nasılsın?|Teşekkürler|Deniz hakkında bir şiir yaz.|Portekiz'in başkenti neresi?|Fotosentezi açıkla.|Bana bir fıkra anlat.|Üç renk say.|Pilav nasıl yapılır?|Bana yardım eder misin?",
  ru: "Привет|Доброе утро|Как дела?|Спасибо|Напиши стихотворение о море.|Какая столица Португалии?|Объясни фотосинтез.|Расскажи анекдот.|Назови три цвета.|Как сварить рис?|Можешь помочь?|Где мой заказ?",
  ja: "こんにちは|おはようございます|元気ですか|ありがとう|海についての詩を書いてください。|ポルトガルの首都はどこですか。|光合成を説明してください。|冗談を言ってください。|色を三つ挙げてください。|ご飯の炊き方を教えてください。|手伝ってくれますか。",
  zh: "你好|早上好|你好吗？|谢谢|写一首关于大海的诗。|葡萄牙的首都是哪里？|解释光合作用。|讲个笑话。|说出三种颜色。|怎么煮米饭？|你能帮我吗？",
  ko: "안녕하세요|좋은 아침|감사합니다|바다에 대한 시를 써 주세요.|포르투갈의 수도는 어디인가요?|광합성을 설명해 주세요.|농담 하나 해 주세요.|세 가지 색을 말해 주세요.|도와줄 수 있나요?",
  ar: "مرحبا|صباح الخير|شكرا|اكتب قصيدة عن البحر.|ما هي عاصمة البرتغال؟|اشرح التمثيل الضوئي.|احك لي نكتة.|هل يمكنك مساعدتي؟",
  hi: "नमस्ते|धन्यवाद|समुद्र पर एक कविता लिखो।|पुर्तगाल की राजधानी क्या है?|एक चुटकुला सुनाओ।|क्या तुम मेरी मदद कर सकते हो?",
};

/** Short harmless English request; a benign example. Equal states of `random` give equal requests. */
export function ordinaryRequest(random: Random): string {
  let text = "{any}";
  for (let depth = 0; depth < 6 && /\{\w+\}/u.test(text); depth += 1) {
    text = text.replaceAll(/\{(\w+)\}/gu, (_, slot: string) => pick(english[slot], random));
  }
  return text;
}

/** Ordinary requests of other languages, by language. */
export function foreignRequests(): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(Object.entries(others).map(([lang, texts]) => [lang, texts.split("|")]));
}

function pick(slot: string | undefined, random: Random): string {
  const options = (slot ?? "").split("|");
  return options[random.below(options.length)] ?? "";
}
