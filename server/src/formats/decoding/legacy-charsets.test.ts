import assert from 'node:assert/strict'
import test from 'node:test'
import { encode } from '../../../test/support/encode-charset.ts'
import { toUtf8 } from './charset.ts'

const texts = {
  ru: 'Вчера в Москве прошла встреча представителей крупнейших компаний. Участники обсудили планы на следующий год и договорились о сотрудничестве.',
  ja: '昨日、東京で主要企業の代表者による会議が開かれました。参加者は来年の計画について話し合いました。カタカナとひらがなの文章です。',
  zh: '昨天在北京举行了主要公司代表会议。与会者讨论了明年的计划，并同意进行合作。这是一个用于测试的中文段落。',
  tw: '昨天在台北舉行了主要公司代表會議。與會者討論了明年的計劃，並同意進行合作。這是一個用於測試的中文段落。',
  ko: '어제 서울에서 주요 기업 대표들의 회의가 열렸습니다. 참석자들은 내년 계획에 대해 논의하고 협력하기로 합의했습니다.',
  de: 'Gestern fand in München ein Treffen von Vertretern großer Unternehmen statt. Die Teilnehmer erörterten die Pläne für nächstes Jahr.',
  pl: 'Wczoraj w Łodzi odbyło się spotkanie przedstawicieli największych firm. Uczestnicy omówili plany na przyszły rok i współpracę.',
  el: 'Χθες στην Αθήνα πραγματοποιήθηκε συνάντηση εκπροσώπων μεγάλων εταιρειών. Οι συμμετέχοντες συζήτησαν τα σχέδια.',
  tr: 'Dün Ankara’da büyük şirketlerin temsilcileri toplandı. Katılımcılar gelecek yılın planlarını görüştü ve işbirliği yapmayı kararlaştırdı.',
  he: 'אתמול התקיימה בתל אביב פגישה של נציגי החברות הגדולות. המשתתפים דנו בתוכניות לשנה הבאה.',
  ar: 'عقد أمس في القاهرة اجتماع لممثلي الشركات الكبرى. ناقش المشاركون الخطط للعام المقبل واتفقوا على التعاون.',
  th: 'เมื่อวานนี้มีการประชุมตัวแทนของบริษัทใหญ่ในกรุงเทพฯ ผู้เข้าร่วมหารือเกี่ยวกับแผนสำหรับปีหน้า',
}
type Language = keyof typeof texts

/** A page with scripts and tags around its text, as real ones have. */
const pageOf = (language: Language, head = '', attributes = '') =>
  `<!doctype html><html${attributes}><head>${head}<title>${texts[language].slice(0, 10)}</title>` +
  '<script>var menu = document.getElementById("menu")</script></head>' +
  `<body><div class="content main"><p>${texts[language]}</p><a href="/index.html">x</a></div></body></html>`

const read = (bytes: Uint8Array, contentType?: string) => {
  const { bytes: utf8, charset, hasReplacements } = toUtf8(bytes, contentType)
  assert.equal(hasReplacements, false)
  return { text: Buffer.from(utf8).toString('utf8'), charset }
}

const charsets: [Language, string][] = [
  ['ru', 'windows-1251'],
  ['ru', 'koi8-r'],
  ['ru', 'iso-8859-5'],
  ['ja', 'shift_jis'],
  ['ja', 'euc-jp'],
  ['zh', 'gbk'],
  ['zh', 'gb18030'],
  ['tw', 'big5'],
  ['ko', 'euc-kr'],
  ['de', 'windows-1252'],
  ['pl', 'windows-1250'],
  ['pl', 'iso-8859-2'],
  ['el', 'iso-8859-7'],
  ['el', 'windows-1253'],
  ['tr', 'windows-1254'],
  ['he', 'windows-1255'],
  ['ar', 'windows-1256'],
  ['th', 'windows-874'],
]

for (const [language, charset] of charsets) {
  test(`a page in ${charset} (${language}) is read by its header`, () => {
    const page = pageOf(language)
    assert.equal(read(encode(page, charset), `text/html; charset=${charset}`).text, page)
  })

  test(`a page in ${charset} (${language}) is read by its meta tag`, () => {
    const page = pageOf(language, `<meta charset="${charset}">`)
    assert.equal(read(encode(page, charset), 'text/html').text, page)
  })

  test(`a page in ${charset} (${language}) is read by a meta tag after 20 KB of scripts`, () => {
    const scripts = `<script>${'var a = 1;'.repeat(2_000)}</script>`
    const page = pageOf(language, `${scripts}<meta charset="${charset}">`)
    assert.equal(read(encode(page, charset), 'text/html').text, page)
  })

  test(`a page in ${charset} (${language}) whose header wrongly says UTF-8 is read by its meta tag`, () => {
    const page = pageOf(language, `<meta charset="${charset}">`)
    assert.equal(read(encode(page, charset), 'text/html; charset=utf-8').text, page)
  })

  test(`a page in ${charset} (${language}) that declares only its language is guessed`, () => {
    const tag = { zh: 'zh-CN', tw: 'zh-TW' }[language as 'zh' | 'tw'] ?? language
    const page = pageOf(language, '', ` lang="${tag}"`)
    assert.equal(read(encode(page, charset), 'text/html').text, page)
  })
}

// The detector takes Thai for Chinese unless the page names its language.
for (const [language, charset] of charsets.filter(([one]) => one !== 'th')) {
  test(`a page in ${charset} (${language}) that declares nothing at all is guessed`, () => {
    const page = pageOf(language)
    assert.equal(read(encode(page, charset)).text, page)
  })
}

test('characters of four bytes in GB18030 are read', () => {
  const bytes = Buffer.concat([encode('中', 'gb18030'), Buffer.of(0x94, 0x39, 0xda, 0x33)])

  assert.equal(read(bytes, 'text/html; charset=gb18030').text, '中💩')
})

test('UTF-16 without a byte order mark or declaration is recognised in both byte orders', () => {
  const page = pageOf('ru')
  const little = Buffer.from(page, 'utf16le')

  assert.deepEqual(read(little, 'text/html'), { text: page, charset: 'utf-16le' })
  assert.deepEqual(read(Buffer.from(little).swap16()), { text: page, charset: 'utf-16be' })
})

test('a meta tag that says UTF-16 in a page that is not is UTF-8', () => {
  const page = pageOf('de', '<meta charset="utf-16">')

  assert.deepEqual(read(Buffer.from(page), 'text/html'), { text: page, charset: 'utf-8' })
})

test('plain text that declares nothing is guessed, JSON is not', () => {
  const bytes = encode(texts.ru, 'windows-1251')

  assert.deepEqual(read(bytes, 'text/plain'), { text: texts.ru, charset: 'windows-1251' })
  assert.equal(toUtf8(bytes, 'application/json').charset, 'utf-8')
})

test('a header that says UTF-8 is believed where the markup says nothing else', () => {
  const { charset, hasReplacements } = toUtf8(
    encode(pageOf('de'), 'windows-1252'),
    'text/html; charset=utf-8',
  )

  assert.deepEqual([charset, hasReplacements], ['utf-8', true])
})

test('a header that says UTF-8 is believed where the bytes are not valid in the markup’s charset', () => {
  const bytes = Buffer.concat([Buffer.from('<meta charset=shift_jis>ü'), Buffer.of(0xff)])

  assert.equal(toUtf8(bytes, 'text/html; charset=utf-8').charset, 'utf-8')
})

test('a header that names another charset wins over the markup', () => {
  const page = pageOf('ru', '<meta charset="utf-8">')

  const { charset } = read(encode(page, 'koi8-r'), 'text/html; charset=koi8-r')

  assert.equal(charset, 'koi8-r')
})

test('random bytes are read without an error', () => {
  const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7919) % 251))

  assert.equal(typeof toUtf8(bytes, undefined).charset, 'string')
})
