// Starts `irops server`, and shows the page of a definition beside it.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function showPage() {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return;
  }
  const uri = client.code2ProtocolConverter.asUri(editor.document.uri);
  const page = await client.sendRequest("workspace/executeCommand", {
    command: "irops.preview",
    arguments: [uri],
  });
  if (page === null) {
    vscode.window.showInformationMessage("This file is not a definition of an op.");
  }
}

async function activate(context) {
  const [command, ...args] = vscode.workspace.getConfiguration("irops").get("command");
  const documentSelector = [{ language: "xml" }, { language: "openvino-ir" }];
  client = new LanguageClient("irops", "irops", { command, args }, { documentSelector });
  context.subscriptions.push(vscode.commands.registerCommand("irops.showPage", showPage));
  await client.start();
}

function deactivate() {
  return client === undefined ? undefined : client.stop();
}

module.exports = { activate, deactivate };
