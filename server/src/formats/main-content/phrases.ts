/** Whether a block is nothing but a label of the site, such as "Advertisement" or "Share". */
export function isLabel(text: string): boolean {
  return text.length < labelCharsMax && labels.has(simplify(text).replace(/[^\p{L}\p{N}]+$/u, ''))
}

/** Whether a block introduces other pages, such as "Read more: …". */
export const startsRelated = (text: string): boolean => startsWithOne(related, text)

/** Whether a block asks the reader to do something on the site. */
export const startsCall = (text: string): boolean => startsWithOne(calls, text)

function startsWithOne(phrases: readonly string[], text: string): boolean {
  const start = simplify(text.slice(0, labelCharsMax))
  return phrases.some(
    (phrase) => start.startsWith(phrase) && !/^\p{L}/u.test(start.slice(phrase.length)),
  )
}

const labelCharsMax = 60

const simplify = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[’'`´]/g, ' ')
    .replace(/^[^\p{L}\p{N}]+/u, '')

const split = (text: string): string[] =>
  text
    .split(/[|\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== '')

const related = split(`
  tags | tagged | filed under | topics | schlagwörter | schlagworte | etiquetas | mots clés | теги
  related | read more | read also | also read | see also | more from | more on | more:
  you may also like | you might also like | recommended | don t miss | trending | most popular
  most read | latest news | also on | further reading | up next | watch: | click here
  more stories | more news | related stories | view gallery
  mehr zum thema | lesen sie auch | lesen sie mehr | weiterlesen | auch interessant
  das könnte sie auch interessieren | das könnte dich auch interessieren | weitere themen
  weitere artikel | mehr dazu | lies auch | passend dazu | mehr aus | meistgelesen | zum thema
  verwandte | siehe auch
  à lire aussi | lire aussi | lire la suite | sur le même sujet | voir aussi
  dans la même rubrique | a lire également | à lire également | lire également
  pour aller plus loin
  lea también | lee también | le puede interesar | te puede interesar | noticias relacionadas
  relacionado | leer más | seguir leyendo | lea además | mira también | ver también
  leia também | leia mais | veja também | saiba mais | notícias relacionadas | ler mais
  veja mais
  leggi anche | potrebbe interessarti | leggi di più | ti potrebbe interessare
  articoli correlati
  lees ook | lees meer | meer over | bekijk ook
  czytaj także | czytaj też | czytaj również | zobacz także | zobacz też | zobacz również
  czytaj więcej | przeczytaj
  читайте также | читать также | смотрите также | по теме | читать далее | подробнее
  читайте ещё | материалы по теме | читайте також
  ilgili haberler | bunlar da ilginizi çekebilir
  関連記事 | あわせて読みたい | 関連リンク | おすすめ記事 | 続きを読む
  相关阅读 | 相关新闻 | 延伸阅读 | 相關新聞 | 推荐阅读 | 相关文章 | 更多
  관련기사 | 관련 기사
  اقرأ أيضا | اقرأ أيضًا | مواضيع ذات صلة | اقرأ المزيد
  läs mer | läs också | les også | læs også | lue myös | διαβάστε επίσης | čtěte také
  čtěte více | citește și | olvassa el
`)

const calls = split(`
  follow us | follow | subscribe | sign up | join the conversation | join our | click here
  get access to | like this story | share this on | share on | this website uses cookies | download our app
  folgen sie | abonnieren | suivez | inscrivez | abonnez | síguenos | suscríbete | siga
  подписывайтесь | подпишитесь | seguici | iscriviti | volg ons | śledź nas | obserwuj
`)

const labels: ReadonlySet<string> = new Set(
  split(`
  advertisement | advertisements | advert | ad | ads | sponsored | share | share this
  share this article | share this story | share on facebook | share on twitter | tweet | print
  email | comments | comment | follow us | subscribe | sign up | close | caption | view all
  show more | loading | skip | back to top | copy link | tags | topics | filed under
  newsletter | continue reading | story continues | article continues below advertisement
  story continues below advertisement | share via | save | listen | listen to article
  anzeige | werbung | teilen | drucken | kommentare | nach oben | artikel teilen | merken
  zurück | weiter
  publicité | partager | imprimer | commentaires | publicidad | compartir | imprimir
  comentarios | publicidade | compartilhar | compartilhe | comentários
  continua após a publicidade | pubblicità | condividi | commenti | stampa | advertentie | delen
  deel dit | reklama | udostępnij | реклама | поделиться | комментарии | reklam | paylaş | 広告
  シェア | ツイート | 广告 | 分享 | 광고 | 공유 | إعلان | شارك | annons | dela | annonse
`),
)
