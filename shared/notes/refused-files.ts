/**
 * Files that nobody may upload, because opening them runs their content: on the computer (programs, scripts, installers) or in
 * the browser (HTML, SVG). The extensions are those of files that mail services refuse, and of scripts of other systems.
 */
const refusedExtensions = new Set(
  [
    // Pages and pictures that run scripts in the browser.
    'htm html mht mhtml shtml svg svgz xht xhtml',
    // Programs, libraries, installers and images of disks.
    'ade adp apk app appimage application appx appxbundle bin cab com cpl deb dll dmg drv elf ex ex_ exe gadget img ins',
    'ipa iso isp jar class dylib',
    'mde msc msi msix msixbundle msp mst msu nsh ocx pif pkg rpm run scr so sys vhd vhdx vxd xll',
    // Scripts.
    'asp aspx bash bat cgi cjs cmd command csh fish hta htc js jse jsp ksh lib mjs php phtml',
    'pl ps1 ps1xml ps2 ps2xml psc1 psc2 psd1 psm1 py pyc pyo pyw pyz pyzw rb sct sh shb shs vb vbe vbs ws wsc wsf wsh zsh',
    // These start something else.
    'appref-ms chm desktop diagcab diagcfg diagpkg hlp inf jnlp lnk reg scf settingcontent-ms url webloc website wsb xbap',
  ].flatMap((extensions) => extensions.split(' ')),
);

const refusedTypes = new Set([
  'application/ecmascript',
  'application/hta',
  'application/java-archive',
  'application/java-vm',
  'application/javascript',
  'application/vnd.android.package-archive',
  'application/vnd.debian.binary-package',
  'application/vnd.microsoft.portable-executable',
  'application/vnd.ms-htmlhelp',
  'application/x-apple-diskimage',
  'application/x-bat',
  'application/x-csh',
  'application/x-dosexec',
  'application/x-elf',
  'application/x-executable',
  'application/x-httpd-php',
  'application/x-java-archive',
  'application/x-javascript',
  'application/x-mach-binary',
  'application/x-ms-installer',
  'application/x-ms-shortcut',
  'application/x-msdos-program',
  'application/x-msdownload',
  'application/x-msi',
  'application/x-perl',
  'application/x-pie-executable',
  'application/x-powershell',
  'application/x-rpm',
  'application/x-sh',
  'application/x-sharedlib',
  'application/x-shellscript',
  'application/xhtml+xml',
  'image/svg+xml',
  'multipart/related',
  'text/ecmascript',
  'text/html',
  'text/javascript',
  'text/jscript',
  'text/vbscript',
  'text/x-perl',
  'text/x-python',
  'text/x-shellscript',
]);

/** Whether nobody may upload files of a content type, with or without parameters. */
export function isRefusedType(type: string): boolean {
  const [essence = ''] = type.split(';');
  return refusedTypes.has(essence.trim().toLowerCase());
}

/** Whether nobody may upload a file with this name, even if the name disguises what it is. */
export function isRefusedName(name: string): boolean {
  return savedNames(name).some((saved) => {
    const extension = saved.split('.').slice(1).at(-1);
    return extension !== undefined && refusedExtensions.has(extension);
  });
}

/**
 * The names under which a file may be saved: without invisible characters, which may reverse its reading direction; with one form
 * of dots and letters; without the final dots, spaces and slashes that some systems drop. Windows takes what follows a colon as a
 * stream of the file; browsers replace the colon.
 */
function savedNames(name: string): string[] {
  const whole = name
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\p{Cf}\p{Cc}]/gu, '');
  const [file = ''] = whole.split(':');
  return [whole, file].map((saved) => saved.replace(/[.\s/\\]+$/, ''));
}
