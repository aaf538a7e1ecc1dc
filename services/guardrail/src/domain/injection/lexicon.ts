import { type WideConcept, wideConcepts, wideLexicon } from "./lexicon-wide.ts";

/**
 * Ideas that instructions to a model are made of, as word stems in some twenty languages, written the way the folded
 * reading writes them: lower case, no accents in Latin, Greek and Cyrillic, no spaces. An entry ending in `$` is a whole
 * word; any other is the beginning of one. `!` marks the words that precise patterns hang on.
 */
const baseConcepts = [
  "override",
  "prior",
  "instruction",
  "reveal",
  "secret",
  "role",
  "unlimited",
  "mode",
  "fromNow",
  "system",
  "you",
  "hide",
  "encode",
  "assistant",
  "frame",
  "send",
  "reader",
  "answer",
  "obey",
  "act",
] as const;

type BaseConcept = (typeof baseConcepts)[number];
/** An idea that attacks are made of. */
export type Concept = BaseConcept | WideConcept;

/** All ideas. A stem in two lists belongs to the first. */
export const concepts: readonly Concept[] = [...wideConcepts, ...baseConcepts];

const baseLexicon: Readonly<Record<BaseConcept, string>> = {
  override: `ignor! disregard! forget$! forgetabout! forgetting overrid! overwrit! bypass! neglect! dismiss! discard! stopfollowing dontfollow donotfollow skipall erase
    vergiss vergesse ubergeh missacht uberschreib oublie negligez contourn outrepass faisfi olvid ignora$ omite descarta desobede dimentic ignorate trascura scorda
    esquec ignore$ desconsider despreze vergeet negeer забуд игнорир проигнорир отбрось отмени пренебре unut yoksay gormezden aldirma
    تجاهل انس$ انسى تجاوز अनदेखा नजरअंदाज नज़रअंदाज़ भूलजा भूल उपेक्षा উপেক্ষা ভুলে অগ্রাহ্য 忽略 無視 无视 忘记 忘掉 不理会 别管 無効 忘れ 従わな 무시 잊어 잊고
    boqua quen$ lodi abaikan lupakan hiraukan kalimutan balewalain huwagpansin huwagmongpansin เพิกเฉย ลืม ไม่ต้องสนใจ ละเว้น zignoruj zapomnij pomin ignorati uita$ uitati αγνοησ ξεχασ`,
  prior: `previous prior$ preceding above$ earlier before$ given$ initial original existing everything past$ first$ former
    vorherig bisherig vorangegangen vorigen obig obenstehend fruher alle$ precedent anterior antes$ toutes ciudessus todas$ todo$ previa precedenti sopra tutte tutto tutti
    acima todos$ vorige bovenstaande eerdere предыдущ прежн вышеу выше$ все$ всё$ ранее onceki yukaridaki tum$ butun السابق أعلاه جميع كل$ पिछल पहले सभी ऊपर
    আগের পূর্ব সব$ সমস্ত 之前 以前 先前 上面 上述 前面 所有 前の 上記 これまで すべて 全て 이전 앞의 위의 모든 지금까지 truocdo tren$ tatca sebelum diatas semua$ nauna naunang lahat$ itaas
    ก่อนหน้า ข้างต้น ทั้งหมด poprzedni powyzsz wszystk anterioare precedente προηγουμεν παραπανω ολες$`,
  instruction: `instruc! direction$ directions$ directive! guideline! rule$ rules$ command order$ orders$ prompt! prompts$! policies policy$ context$ restriction guidance
    anweisung instruktion vorgabe regeln$ richtlinie befehl auftrag aufgabe consigne regles$ ordres$ directives reglas$ normas$ ordenes$ indicacion istruzion regole$ direttiv comand
    instrucoes regras$ diretrizes ordens$ opdracht regels$ инструкц правил указан приказ команд talimat kural yonerge emir تعليمات التعليمات قواعد القواعد أوامر الأوامر توجيهات
    निर्देश नियम आदेश নির্দেশ নিয়ম আদেশ 指令 指示 说明 規則 规则 命令 提示词 提示 ルール プロンプト 지시 명령 규칙 프롬프트 지침 huongdan chithi quytac lenh$ instruksi perintah aturan$ petunjuk
    tagubilin utos$ panuto patakaran alituntunin คำสั่ง คำแนะนำ กฎ polecen instrukcj zasad instructiun reguli οδηγι κανον εντολ`,
  reveal: `tellme show$ showme reveal display$ print$ output repeat disclose share$ write$ say$ giveme givemeall leak dump$ expose echo$ spell list$ whatis whatsyour whatare whatwas return$
    sagmir sage$ zeig verrat nenne$ gibmir wiederhol ausgeb wasist dismoi montre donne revele affiche repete quelest dime$ muestra revela repite cuales dame$ imprime
    dimmi mostra$ mostrami rivela ripeti qualee diga$ mostre revele repita qualea digame vertel toon$ geefme herhaal скажи покаж раскро выведи повтори назови сообщи какой какая каков
    soyle goster acikla tekrarla yazdir nedir$ أخبرن اخبرن اظهر أظهر اكشف كرر اطبع ماهي ماهو बताइ बताओ बताए बता दिखा प्रकट दोहरा क्या बता বলুন বলো দেখাও প্রকাশ কি$ কী$
    告诉 告訴 显示 顯示 透露 输出 打印 重复 什么 教えて 見せて 表示 明かし 繰り返 出力 何です 알려 말해 보여 공개 출력 반복 무엇 choto cho$ hienthi tietlo noichotoi lagi$ beritahu tunjukkan ungkap ulangi tampilkan apa$
    sabihin ipakita ibunyag ulitin ano$ บอก แสดง เปิดเผย ทำซ้ำ powiedz pokaz ujawnij wypisz powtorz spune arata dezvaluie πεσ$ δειξε αποκαλυψ`,
  secret: `password! passwor passphrase! passcode! passwd secret$ secrets$ secretkey! credential confidential hidden$ apikey codeword keyword private$ internal$ key$ access$ pasword
    passwort kennwort geheim schlussel losung motdepasse secret confidentiel cache$ contrasen clave$ secreto confidencial segredo senha parola parolad segreto chiave wachtwoord
    пароль пароля секрет ключ тайн sifre parola gizli كلمةالمرور كلمةالسر سري سرية السر मरूर पासवर्ड गुप्त गोपनीय रहस्य পাসওয়ার্ড গোপন 密码 密碼 口令 秘密 密钥 机密 パスワード 暗号 合言葉 비밀번호 암호 비밀
    matkhau bimat khoa$ sandi$ katasandi rahasia kunci lihim susi$ รหัสผ่าน ความลับ รหัส haslo haslem tajn parola$ κωδικ μυστικ`,
  role: `actas$ actlike actingas roleplay pretend youarenow youregoingto youaregoingto imagine simulate emulate impersonat playtherole assume persona$ character behaveas takeontherole youwillact youwillbe
    tuso tunso stelldirvor dubistjetzt spiele$ verhalte agiere faissemblant agiscomme tuesmaintenant imaginez simule finge$ actua$ imagina comportate eresahora fingi$ agiscicome fingidi sei$ orasei finja aja$ atue voceeagora doealsof
    притвор представь веди$ действуй тыте теперьты какбудто davran rolunu gibiyap تظاهر تصرف تخيل أنتالآن दिखावा कल्पना अभिनय भूमिका নাটক ভান কল্পনা 假装 假設 假设 扮演 充当 你现在是 想象 ふりを 演じ として振 あなたは今 인척 척해 연기 역할 상상
    hayđong giavo dongvai hay$ tuongtuong berpura bertindak bayangkan berperan magpanggap kunwari isipin แกล้ง สมมติ ทำตัว udawaj zachowuj wyobraz prefate υποκρισου φαντασου`,
  unlimited: `unrestrict unfilter! uncensor! unlimited norestrict nolimit nofilter norules withoutrestrict withoutlimit withoutany withoutfilter jailbreak! jailbroken! danmode! breakfree! antigpt! opposite$ ethic! moral! refus! reject$! declin! deny$! doanything! anythingnow dan$! immoral amoral! unethical! nomoral evil$ noethic
    illegal$ harmful offensive withoutcensor freefrom brokenfree! nocensor anyconsequence regardless nevrefuse neverrefuse cannotrefuse neversay cannotsay mustanswer mustobey obey$ comply
    uneingeschrankt ohneeinschrankung ohneregeln sansrestriction sanslimite sansfiltre sinrestric sinlimite sinfiltro senzarestriz senzalimit senzafiltri semrestri semlimite semfiltro
    безограничен безцензур безфильтр sinirsiz kisitlamasiz sansursuz بدونقيود بلاقيود بدونحدود बिनाकिसी प्रतिबंध সীমাহীন বাধা 没有限制 不受限制 无限制 没有任何 制限なし 制限のない 無制限 제한없 제약없 khonggioihan khongbi tanpabatas tanpafilter walanglimit ไม่มีข้อจำกัด bezogranicz faralimit`,
  mode: `developermode! devmode debugmode debug$ adminmode administrator admin$ sudo$ rootaccess godmode maintenancemode systemmode systemoverride! testmode safemode oppositemode mode$ enabled$ activated activate
    developer$ developers$ diagnostic troubleshoot authorized authoriz superuser ceo$ engineer boss$ entwickler entwicklermodus administrateur modedeveloppeur desarrollador mododesarrollador sviluppatore modalita desenvolvedor
    разработчик режим админ gelistirici modu$ yonetici مطور وضع المسؤول डेवलपर मोड व्यवस्थापक ডেভেলপার মোড 开发者 模式 管理员 開発者 モード 管理者 개발자 모드 관리자 chedo nhaphattrien pengembang modus mode developer โหมด นักพัฒนา deweloper tryb administrator προγραμματιστ λειτουργια`,
  fromNow: `fromnow newinstruct newtask newrule newrole instead$ nowyou now$ insteadof startover reset$ nextrespon abjetzt vonnunan neueaufgabe stattdessen jetzt$ apartirdemaintenant desormais maintenant$ nouvelle ahora$ apartirdeahora nueva$ nuevas$
    daora$ adesso$ nuove$ nuovo$ agora$ apartirdeagora novas$ vanafnu nieuwe отнын теперь сэтогомомента новая$ новые$ bundansonra artik simdi yeni$ منالآن الآن بدلا جديدة अबसे अब$ इसकेबजाय नया$ নতুন এখন পরিবর্তে 从现在 现在开始 新的 改为 而是 今から これから 代わりに 新しい 지금부터 이제 대신 새로운 tubaygio bayorgio bâygio thayvao mulaisekarang sekarang baru$ mulangayon ngayon bago$ ตั้งแต่นี้ ตอนนี้ แทน odteraz teraz nowe deacum acum αποτωρα`,
  system: `systemprompt! systemmessage! systeminstruct! systemrole system$ initialprompt configuration config$ preprompt textabove sentenceabove abovetext conversation$ openai! chatgpt gpt$ gpt systemanweisung systemprompt systemeinstruct promptsysteme promptdelsistema sistema$ sistema sistem
    система системн النظام सिस्टम সিস্টেম 系统 系統 システム 시스템 hethong ระบบ systemow`,
  you: `you$ your$ yours$ yourself u$ ur$ du$ dein ihre$ ihr$ dir$ dich$ sie$ tu$ ton$ ta$ tes$ votre vos$ vous$ ti$ tus$ su$ sus$ usted tuo$ tua$ tue$ tuoi$ teu$ seu$ sua$ suas$ seus$ voce$ je$ jij$ jouw
    ты$ вы$ твой твои тво ваш тебе тебя вам$ вас$ sen$ senin siz$ sizin أنت انت आप तुम आपक তুমি আপনি তোমার আপনার 你 您 妳 あなた 君 お前 당신 너의 너는 네$ ban$ cuaban kamu$ kamu mu$ ikaw$ mo$ iyong ka$ คุณ ของคุณ twoj twoje ty$ tine$ σου$ εσυ$`,
  hide: `donttell donottell nevermention dontmention donotmention dontsay donotsay withoutmention withoutsaying keepsecret donotreveal dontreveal notallowed notsupposed notshare silently secretly nichtsagen nichtverraten nedispas nodigas nondire naodiga неговори нерасказ soyleme لاتخبر मतबता 不要说 不要告诉 言わない 말하지 dungnoi jangan$ huwag$ อย่าบอก`,
  encode: `reverse backward base64 rot13 morse$ hex$ binary$ ascii$ encode decode cipher encrypt caesar acrostic rhyme riddle hint$ hints$ lettersof letterby eachletter eachcharacter firstletter lastletter firstcharacter lettersin spellit
    piglatin leetspeak vowel emoji anagram ruckwarts verschlussel kodier buchstab alenvers inverse codifi codific revers rovescio letra lettera letras букв наоборот закодир шифр tersten harf معكوس حرف شفر उल्टा अक्षर उलट अक्षर অক্ষর উল্টো 反转 倒序 编码 字母 逆 文字ず エンコード 거꾸로 글자 인코딩 nguoclai chucai mahoa terbalik huruf sandikan baligtad titik ย้อนกลับ ตัวอักษร odtylu`,
  assistant: `assistant$ chatbot languagemodel ai$ aimodel bot$ llm$ model$ assistent sprachmodell ki$ ia$ assistente asistente modelodelenguaje ассистент модель ии$ asistan yapayzeka مساعد نموذج सहायक मॉडल সহকারী মডেল 助手 模型 人工智能 アシスタント モデル 모델 인공지능 troly mohinh asisten katulong ผู้ช่วย โมเดล`,
  frame: `translat summar describ explain story stories poem novel$ scene$ essay haiku lyrics synonym grammar proofread classif example$ examples$ meaning whatdoes howdo howcan howto define definition quiz$ blog$ fiction screenplay
    ubersetz erklar gedicht geschichte zusammenfass beispiel bedeutet wiekann traduis traduit explique poeme histoire$ resume$ signifie comment$ traduce explica poema cuento$ resumen ejemplo significa traduci spiega poesia racconto riassum esempio
    traduz resuma conto$ exemplo vertaal gedicht verhaal leguit перевед перевод объясн стих рассказ сказк пример значит cevir siir$ hikaye ozetle anlat$ ترجم اشرح قصيدة قصة لخص مثال अनुवाद समझा कविता कहानी सारांश उदाहरण অনুবাদ ব্যাখ্যা বোঝা কবিতা গল্প
    翻译 翻譯 解释 解釋 诗 故事 总结 訳し 説明 詩を 物語 要約 번역 설명 이야기 요약 dich$ giaithich bai tho$ truyen terjemah jelaskan puisi cerita ringkas isalin ipaliwanag tula$ kuwento ibuod แปล อธิบาย กลอน นิทาน สรุป tafsiri eleza shairi hadithi przetlumacz wyjasnij wiersz opowiad`,
  send: `send$ sends$ sending forward$ forwarded upload post$ posts$ mail$ email emails transfer transmit attach append export share$ webhook http https exfiltr sende$ senden schick weiterleit leite$ uberweis envoie envoyer transfere virement envia enviar reenvia transferencia invia inoltra bonifico
    envie$ encaminh stuur$ doorstur overmak отправ перешли пересыл перевести gonder ilet$ havale ارسل أرسل ارسال تحويل भेज ट्रांसफर পাঠা 发送 發送 转发 转账 传给 送信 転送 送って 送り 送金 보내 전송 전달 송금 gui$ chuyen kirim transfer ipadala ipasa ilipat ส่ง โอน tuma$ wyslij przeslij przelew`,
  reader: `user$ users$ customer customers reader$ readers$ visitor owner$ operator applicant candidate nutzer benutzer kunde kunden betreiber utilisateur client$ clients$ usuario cliente utente utenti usuarios gebruiker klant пользоват клиент владел kullanici musteri المستخدم العميل उपयोगकर्ता ग्राहक ব্যবহারকারী গ্রাহক
    用户 用戶 客户 顾客 ユーザー 利用者 お客 사용자 고객 nguoidung khachhang pengguna pelanggan kostumer gumagamit ผู้ใช้ ลูกค้า mtumiaji mteja uzytkownik klient`,
  answer: `answer$ answers$ answering respond responds reply$ replies$ replying response antwort antworte repond reponds reponse responde$ respuesta contesta rispondi risposta resposta antwoord ответ отвеч cevap yanit أجب اجب الجواب جوابك जवाब उत्तर উত্তর 回答 回复 回覆 答案 答え 返事 返信 대답 답변 traloi jawab sagot sumagot ตอบ jibu odpowied odpowiad`,
  obey: `obeys obeying obedien follow$ follows$ listen$ submit$ gehorch befolg folge$ obeis obeir obeissez obedec obbedi obedeca gehoorzaam подчин слушай слушайся повинуй itaat uy$ أطع اطع نفذ आज्ञा मानो मानोगे পালন মানো শুনবে 服从 聽從 听从 听我 遵守 従い 従って 従う 従え 복종 따라 따르 nghe loi vangloi nghetheo patuhi turuti ikuti sumunod sundin makinig เชื่อฟัง ทำตาม nitii tii$ posluchaj`,
  act: `approve delete$ click$ execute$ run$ buy$ pay$ cancel$ install visit$ recommend rate$ praise insert$ include$ add$ open$ download mark$ grant$ merge$ losche genehmig klick kaufe empfiehl fuge$ supprime clique achete recommande ajoute elimina$ aprueba compra$ recomienda anade cancella approva clicca raccomanda aggiungi apague aprove recomende adicione удали одобр нажми купи советуй рекоменд добавь sil$ onayla tikla oner$ ekle$
    احذف وافق انقر اشتر أوص أضف हटा मंजूर क्लिक सिफारिश जोड़ মুছে অনুমোদন ক্লিক সুপারিশ যোগ 删除 批准 点击 购买 推荐 添加 削除 承認 クリック 購入 薦め 追加 삭제 승인 클릭 추천 추가 xoa$ pheduyet nhap$ gioithieu hapus setujui klik rekomendasi tambah burahin aprubahan irekomenda idagdag ลบ อนุมัติ คลิก แนะนำ เพิ่ม futa idhinisha bofya pendekeza usun zatwierdz kliknij polec`,
};

/** The stems of each idea, parted by white space. */
export const lexicon: Readonly<Record<Concept, string>> = { ...wideLexicon, ...baseLexicon };
