import type { PageVerdict } from '../domain/scrape/engine-reason.ts'
import { type PageSigns, type RootContent, scanPage, textLengthMax } from './dom/scan-page.ts'

/** As many characters of a page, or bytes, are looked at. */
export const judgedMax = 2 * 2 ** 20

/** The HTTP response to a plain request; header names are lower case. */
export interface JudgedResponse {
  headers: Readonly<Record<string, string>>
  /** The decoded body. */
  text: string
}

/**
 * Decides from the response to a plain HTTP request whether its page needs a browser. It prefers the
 * browser in doubt: an unneeded visit costs time, a page that was not rendered is worth nothing.
 */
export function judgePage({ headers, text }: JudgedResponse): PageVerdict {
  if (!isHtml(headers['content-type'], text)) return 'static'
  if (isChallenge(headers)) return 'script_challenge'
  const page = scanPage(text.slice(0, judgedMax))
  if (page.textLength >= textLengthMax || page.hasFrames) return 'static'
  for (const [verdict, applies] of Object.entries(rules) as [Verdict, Rule][]) {
    if (applies(page, text)) return verdict
  }
  return 'static'
}

/** Without a content type a browser looks at the content. */
function isHtml(contentType: string | undefined, text: string): boolean {
  if (contentType !== undefined && contentType.trim() !== '') {
    return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType)
  }
  return /^\s*<(?:!doctype html|html|head|body|script|!--)/i.test(text.slice(0, sniffedMax))
}

const sniffedMax = 1_024

/** The headers by which two firewalls document their challenges. */
const isChallenge = (headers: JudgedResponse['headers']): boolean =>
  headers['cf-mitigated']?.toLowerCase() === 'challenge' ||
  headers['x-amzn-waf-action']?.toLowerCase() === 'challenge'

type Verdict = Exclude<PageVerdict, 'static'>
type Rule = (page: PageSigns, text: string) => boolean

// Limits on visible text, in characters without spaces. A label and a spinner, a sentence, a short page.
const bareMax = 50
const sentenceMax = 200
const shortPageMax = 600
// How much text a form field is worth, an image of many, and a link besides its own text.
const contentWorth = 30
const linkWorth = 10
// A splash screen has as many images at most; more are a gallery.
const splashImagesMax = 3
// Labels with as many empty elements beside them wait for a script to fill them in.
const emptyMin = 5

/** In the order in which they are asked; each sees pages without much text only. */
const rules: Record<Verdict, Rule> = {
  script_challenge: (page, text) =>
    page.scriptCount > 0 && challengeMarks.test(text.slice(0, markedMax)),

  unrendered_template: ({ scriptCount, templateCount }) => scriptCount > 0 && templateCount > 0,

  empty_app_root: (page) =>
    page.scriptCount > 0 && page.roots.length > 0 && page.roots.some((root) => isEmpty(root, page)),

  noscript_demand: (page) =>
    page.scriptCount > 0 &&
    page.textLength < shortPageMax &&
    !page.roots.some(({ textLength }) => textLength >= sentenceMax) &&
    (scriptNames.test(page.noscriptText) || isDemand(page.visibleText)),

  client_redirect: ({ isRefreshing, textLength, inlineScripts }) =>
    (isRefreshing && textLength < shortPageMax) ||
    (textLength < sentenceMax && redirectScripts.test(inlineScripts)),

  script_shell: (page) => {
    if (page.scriptCount === 0) return false
    const worth = worthOf(page)
    const links = page.linkCount - page.surroundings.linkCount
    if (worth - worthOf(page.surroundings) + links * linkWorth < bareMax) return true
    if (page.emptyCount >= emptyMin && page.textLength < shortPageMax) return true
    const isApp = page.bundleCount > 0 || loadingWords.test(page.visibleText)
    return isApp && worth < sentenceMax && page.linkCount < 3 && page.roots.length === 0
  },
}

/** A root with a label and a spinner, or with a sentence about loading, is still to be filled. */
function isEmpty(root: RootContent, { visibleText }: PageSigns): boolean {
  const worth = worthOf(root)
  return worth < bareMax || (worth < sentenceMax && loadingWords.test(visibleText))
}

const worthOf = ({ textLength, imageCount, fieldCount }: RootContent): number =>
  textLength +
  fieldCount * contentWorth +
  (imageCount > splashImagesMax ? imageCount * contentWorth : 0)

// Names that challenge pages have and pages behind them do not.
const challengeMarks =
  /_cf_chl_opt|sucuri_cloudproxy_js|_Incapsula_Resource|captcha-delivery\.com|anubis_challenge|\.within\.website\/x\/|ddos-guard\/js-challenge|sec-if-cpt-container|window\.gokuProps|AwsWafIntegration|px-captcha|\/_fs-ch-|azwaf_jsclearance|slowAES\.decrypt/
const markedMax = 200 * 1_024

/** The name of the language, in scripts other than Latin as well. */
const scriptNames =
  /java\s?script|джава\s?скрипт|скрипт[ыи]|자바\s?스크립트|ジャバスクリプト|スクリプト|脚本|腳本|جافا\s?سكر[يی]?بت|ג['׳]אווה\s?סקריפט|จาวาสคริปต์|जावास्क्रिप्ट/i

/** Stems of "enable", "require" and "disabled" in many languages. */
const demandStems =
  /enabl|activ|aktiv|ativ|attiv|abilit|habilit|requir|need|must|turn\w* on|switch\w* on|disabled|requis|necesi|necess|richie|benötig|erforder|einschalt|ingeschakeld|inschakel|vereis|slå på|slå til|kräv|kræv|włącz|wymag|povol|zapn|vyžad|включ|требу|отключ|увімк|потр|kapcsolja|engedély|szükség|etkin|gerek|bật|kích hoạt|ενεργοπ|απαιτ|有効|無効|必要|启用|啟用|开启|開啟|需要|활성|사용|필요|تفعيل|تمكين|הפעל|เปิดใช้|सक्षम/i

const isDemand = (text: string): boolean =>
  sentencesOf(text).some((sentence) => scriptNames.test(sentence) && demandStems.test(sentence))

const sentencesOf = (text: string): string[] =>
  text.slice(0, textLengthMax * 4).split(/[.!?。！？\n]/)

const loadingWords =
  /\bload|\bwait\b|\blade|\blädt|bitte warten|chargement|patient|cargando|carregando|aguarde|espere|caricamento|attendere|laden|wacht|laddar|indlæser|ładowan|czekaj|načít|загруз|подожд|завантаж|yükleniyor|bekley|đang tải|φόρτωση|読み込み|お待ち|ロード|加载|加載|载入|載入|请稍|請稍|로딩|불러오는|기다려|تحميل|טוען|กำลังโหลด|लोड हो/i

const redirectScripts =
  /(?:^|[^\w.])(?:window\.|document\.|self\.|top\.|parent\.)?location(?:\.href)?\s{0,9}=[^=]|\blocation\.(?:replace|assign|reload)\s{0,9}\(/
