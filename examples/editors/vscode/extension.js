// Starts `irops server`, and shows the pages of rules that it makes.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

// Pages of the server are rendered beside the text instead of shown as source.
async function showDocument(params, next) {
  const uri = vscode.Uri.parse(params.uri);
  if (uri.path.endsWith(".md")) {
    await vscode.commands.executeCommand("markdown.showPreviewToSide", uri);
    return { success: true };
  }
  return next(params);
}

async function start() {
  const [command, ...args] = vscode.workspace.getConfiguration("irops").get("command");
  const documentSelector = [{ language: "xml" }, { language: "openvino-ir" }];
  const middleware = { window: { showDocument } };
  client = new LanguageClient("irops", "irops", { command, args }, { documentSelector, middleware });
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
    vscode.commands.registerCommand("irops.restart", restart),
    vscode.workspace.onDidChangeConfiguration((change) =>
      change.affectsConfiguration("irops.command") ? restart() : undefined,
    ),
  );
  await start();
}

module.exports = { activate, deactivate: stop };
