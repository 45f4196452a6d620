/** Punctuation and symbols that look like ASCII ones and that NFKC does not already reduce to them (compare Unicode TR39, confusables). */
export const lookalikePunctuation: ReadonlySet<string> = new Set(
  [
    "‐‑‒–—―−⁃─",
    "‘’‚‛“”„‟′‵ʹʺʻʼʽʾʿˈˊˋ՚׳״",
    "⁄∕╱⧸⟋〳",
    "∖╲⧵⧹⟍",
    "։׃܃꞉∶ː˸᛬",
    "·•‧∙⋅۔܂",
    "٫،‚¸",
    "؛",
    "ǃ",
    "ǀ∣│❘⏐׀",
    "‹›˂˃❮❯ᐸᐳ",
    "∗⁎٭",
    "∼⁓〜",
    "═꞊᐀",
    "᛭",
    "ˍ",
    "❨❩❲❳〔〕",
    "♯",
    "˄ˆ",
  ].flatMap((group) => Array.from(group)),
);

const letters =
  // Cyrillic
  "аеорсухіјѕһԁԛԝӏѵьАВЕКМНОРСТУХІЈЅҺԌԚԜӀѴЗЬ" +
  // Greek
  "αινορυκχγϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹ" +
  // Armenian
  "օոսհցքՕՍՏԼ" +
  // Latin beyond ASCII
  "ıɑɡɩɪɢʏʀʙʜʟɴᴀᴄᴅᴇᴊᴋᴍᴏᴘᴛᴜᴠᴡᴢꜱƅƽȷɍɾɿʋʌᴦᴨᴩ";

/** Letters that look like ASCII ones. Cherokee and Lisu are all but made of such. */
const lookalikeLetter = new RegExp(`[${letters}\\p{Script=Cherokee}\\p{Script=Lisu}]`, "u");

/** True for a letter beyond ASCII that a reader takes for an ASCII letter. */
export function isLookalikeLetter(character: string): boolean {
  return lookalikeLetter.test(character);
}
