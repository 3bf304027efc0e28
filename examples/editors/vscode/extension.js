// Starts `irops server`, and shows the pages that it makes.
const path = require("node:path");
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activeUri() {
  const editor = vscode.window.activeTextEditor;
  return editor && client?.isRunning() && client.code2ProtocolConverter.asUri(editor.document.uri);
}

async function ask(command) {
  const uri = activeUri();
  if (!uri) {
    return null;
  }
  const title = "irops makes the page";
  const location = vscode.ProgressLocation.Window;
  const request = { command, arguments: [uri] };
  return vscode.window.withProgress({ location, title }, () =>
    client.sendRequest("workspace/executeCommand", request),
  );
}

async function showPage() {
  if ((await ask("irops.preview")) === null) {
    vscode.window.setStatusBarMessage("irops: there is no page of this file", 5000);
  }
}

async function showHtml() {
  if ((await ask("irops.previewHtml")) === null) {
    vscode.window.setStatusBarMessage("irops: there is no HTML page of this file", 5000);
  }
}

// Pages of the server are rendered beside the text instead of shown as source.
async function showDocument(params, next) {
  const uri = vscode.Uri.parse(params.uri);
  if (uri.path.endsWith(".md")) {
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
    return { success: true };
  }
  if (params.external && uri.path.endsWith(".html")) {
    await showHtmlPage(uri);
    return { success: true };
  }
  return next(params);
}

async function showHtmlPage(uri) {
  const folder = vscode.Uri.file(path.dirname(uri.fsPath));
  const options = { enableScripts: true, localResourceRoots: [folder] };
  const column = vscode.ViewColumn.Beside;
  const panel = vscode.window.createWebviewPanel("irops.page", "Page", column, options);
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  const kind = vscode.window.activeColorTheme.kind;
  const light = [vscode.ColorThemeKind.Light, vscode.ColorThemeKind.HighContrastLight];
  const theme = light.includes(kind) ? "light" : "dark";
  panel.title = /<title>([^<]*)<\/title>/.exec(text)?.[1] ?? "Page";
  panel.webview.html = text
    .replace("<head>", `<head><base href="${panel.webview.asWebviewUri(folder)}/">`)
    .replace(/document\.body\.dataset\.theme = [^;]*;/, `document.body.dataset.theme = "${theme}";`);
}

async function start() {
  const [command, ...args] = vscode.workspace.getConfiguration("irops").get("command");
  const documentSelector = [{ language: "xml" }, { language: "openvino-ir" }];
  const middleware = { window: { showDocument } };
  const initializationOptions = { trusted: vscode.workspace.isTrusted };
  const clientOptions = { documentSelector, middleware, initializationOptions };
  client = new LanguageClient("irops", "irops", { command, args }, clientOptions);
  try {
    await client.start();
  } catch (error) {
    const help = "Install it with pip install 'irops[server]', or name it in the setting irops.command.";
    vscode.window.showErrorMessage(`irops: "${command}" does not start: ${error.message}. ${help}`);
  }
}

async function stop() {
  const before = client;
  client = undefined;
  if (before !== undefined && before.isRunning()) {
    await before.stop();
  }
}

async function restart() {
  await stop();
  await start();
}

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("irops.showPage", showPage),
    vscode.commands.registerCommand("irops.showHtml", showHtml),
    vscode.commands.registerCommand("irops.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) =>
      change.affectsConfiguration("irops.command") ? restart() : undefined,
    ),
    vscode.workspace.onDidGrantWorkspaceTrust(restart),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
