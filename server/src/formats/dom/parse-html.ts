import {
  html as names,
  Parser,
  serializeOuter,
  type Token,
  type Tokenizer,
  type TreeAdapter,
  type TreeAdapterTypeMap,
} from 'parse5'
import { type Attribute, createText, Document, Element, isElement, Node, nodeTypes } from './dom.ts'
import { HtmlTokenizer } from './html-tokenizer.ts'
import { MarkupLimits } from './markup-limits.ts'

/** Parses by the rules of HTML, so that any text gives a document, unless it is too complex. */
export function parseHtml(html: string): Document {
  const limits = new MarkupLimits()
  const limited: TreeAdapter<TreeMap> = {
    ...treeAdapter,
    createElement(...element) {
      limits.addElement()
      return treeAdapter.createElement(...element)
    },
    createCommentNode(text) {
      limits.addComment()
      return treeAdapter.createCommentNode(text)
    },
    adoptAttributes(element, attributes) {
      limits.requireAttributes(element.attributes.length + attributes.length)
      treeAdapter.adoptAttributes(element, attributes)
    },
    onItemPush: () => limits.openElement(),
    onItemPop: () => limits.closeElement(),
  }
  const builder = new Parser<TreeMap>({ treeAdapter: limited, scriptingEnabled: false })
  const parts = { handler: builder, ordinary: builder.tokenizer, limits }
  const tokenizer = new HtmlTokenizer(html, parts)
  // What the builder has of a tokenizer is its state.
  builder.tokenizer = tokenizer as unknown as Tokenizer
  tokenizer.run()
  return builder.document
}

/** The element as HTML, with what is inside. It recurses over the depth, which `parsePage` limits. */
export const toHtml = (element: Element): string =>
  serializeOuter<TreeMap>(element, { treeAdapter, scriptingEnabled: false })

type TreeMap = TreeAdapterTypeMap<
  Node,
  Node,
  Node,
  Document,
  Node,
  Element,
  Node,
  Node,
  Element,
  Node
>

/** What is inside of templates is no part of the document. */
const templateContents = new WeakMap<Element, Node>()
const modes = new WeakMap<Document, names.DOCUMENT_MODE>()

/** How the parser builds and the serializer reads our tree. */
export const treeAdapter: TreeAdapter<TreeMap> = {
  createDocument: () => new Document(),
  createDocumentFragment: () => new Node(nodeTypes.document),
  createElement: (name, namespace, attributes) =>
    new Element(
      name,
      attributes.some(hasPrefix) ? attributes.map(withPrefix) : attributes,
      namespace,
    ),
  createCommentNode: (text) => new Node(nodeTypes.comment, text),
  createTextNode: createText,
  appendChild: (parent, child) => parent.appendChild(child),
  insertBefore: (parent, child, before) => parent.insertBefore(child, before),
  detachNode: (node) => node.remove(),
  insertText(parent, text) {
    if (parent.lastChild?.nodeType === nodeTypes.text) parent.lastChild.nodeValue += text
    else parent.appendChild(createText(text))
  },
  insertTextBefore(parent, text, before) {
    const previous = before.previousSibling
    if (previous?.nodeType === nodeTypes.text) previous.nodeValue += text
    else parent.insertBefore(createText(text), before)
  },
  adoptAttributes(element, attributes) {
    const missing = attributes.filter(({ name }) => !element.hasAttribute(name))
    element.attributes.push(...missing)
  },
  setTemplateContent: (template, content) => void templateContents.set(template, content),
  getTemplateContent: (template) => templateContents.get(template) ?? template,
  setDocumentType: () => undefined,
  setDocumentMode: (document, mode) => void modes.set(document, mode),
  getDocumentMode: (document) => modes.get(document) ?? names.DOCUMENT_MODE.NO_QUIRKS,
  getFirstChild: (node) => node.firstChild,
  getChildNodes(node) {
    const children: Node[] = []
    for (let child = node.firstChild; child; child = child.nextSibling) children.push(child)
    return children
  },
  getParentNode: (node) => node.parentNode,
  getAttrList: (element) => [...element.attributes],
  getTagName: (element) => element.localName,
  getNamespaceURI: (element) => element.namespaceURI as names.NS,
  getTextNodeContent: (node) => node.nodeValue ?? '',
  getCommentNodeContent: (node) => node.nodeValue ?? '',
  isTextNode: (node): node is Node => node.nodeType === nodeTypes.text,
  isCommentNode: (node): node is Node => node.nodeType === nodeTypes.comment,
  isElementNode: isElement,
  // They are not kept.
  isDocumentTypeNode: (_): _ is Node => false,
  getDocumentTypeNodeName: () => '',
  getDocumentTypeNodePublicId: () => '',
  getDocumentTypeNodeSystemId: () => '',
  setNodeSourceCodeLocation: () => undefined,
  getNodeSourceCodeLocation: () => undefined,
  updateNodeSourceCodeLocation: () => undefined,
}

const hasPrefix = ({ prefix }: Token.Attribute): boolean => prefix !== undefined && prefix !== ''

/** As in the markup: `xlink:href`. */
const withPrefix = (attribute: Token.Attribute): Attribute => ({
  name: hasPrefix(attribute) ? `${attribute.prefix}:${attribute.name}` : attribute.name,
  value: attribute.value,
})
